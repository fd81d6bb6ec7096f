/** A rule, run a tick at a time on plain objects: what its text says, read anew at every tick. It shares no code with the engine. */

export interface TickedRule {
  /** Device of each stage. */
  readonly placement: readonly number[];
  readonly microbatches: number;
  /** Kinds in order of preference; with I and W the backward is split. */
  readonly prefer: readonly string[];
  /** Ticks of each kind; E and L take none. Those of declared operations are by number. */
  readonly ticks: (kind: string, stage: number, number: number) => number;
  /** Ticks of a message between devices. */
  readonly message: number;
  /** A copy to or from the host holds its line so long, and is there `latency` later; in `half`, both directions are one line. */
  readonly copy: { readonly ticks: number; readonly latency: number; readonly half: boolean };
  readonly allow: (kind: string, stage: number, state: TickedState) => boolean;
  /** Operations that the schedule declares, and what waits for what beyond F and B. */
  readonly declared?: readonly TickedOperation[];
}

export interface TickedOperation {
  readonly kind: string;
  readonly stage: number;
  readonly number: number;
  readonly after: readonly string[];
  readonly before: readonly string[];
}

/** What conditions read of a stage, and of its device. */
export interface TickedState {
  readonly held: number;
  readonly away: number;
  readonly loaded: number;
  /** Activations on the device. */
  readonly here: number;
  readonly done: (kind: string) => number;
  readonly pending: (kind: string) => number;
}

interface Run {
  readonly kind: string;
  readonly stage: number;
  readonly number: number;
  readonly began: number;
  /** When it ends, or when its copy has ended. */
  readonly ends: number;
}

/** Longer than any of these rules takes; then nothing may start any more. */
const latest = 2_000;

export const named = (kind: string, stage: number, number: number): string => `${stage}${kind}${number}`;

/** Names of the operations of each device, in order; undefined where the rule allows nothing more. */
export function tickedRule(rule: TickedRule): readonly (readonly string[])[] | undefined {
  const { placement, microbatches, prefer, message, copy } = rule;
  const last = placement.length - 1;
  const devices = 1 + Math.max(...placement);
  const numbers = [...Array(microbatches).keys()];
  const runs = new Map<string, Run>();
  const order: string[][] = Array.from({ length: devices }, () => []);
  const busy = new Array<number>(devices).fill(0);
  const lines = new Map<string, number>();
  const back = prefer.includes('I') ? 'I' : 'B';
  const isDeclared = (kind: string): boolean => kind.length > 1;
  const runOf = (kind: string, stage: number, number: number): Run | undefined => runs.get(named(kind, stage, number));
  const began = (kind: string, stage: number): number =>
    numbers.filter((number) => runOf(kind, stage, number) !== undefined).length;
  let now = 0;
  const hasEnded = (run: Run | undefined, delay = 0): boolean => run !== undefined && run.ends + delay <= now;

  /** Whether what `name` waits for by declared operations has come. */
  const isFreeOf = (name: string, device: number): boolean =>
    (rule.declared ?? []).every((each) => {
      const own = named(each.kind, each.stage, each.number);
      const needs = own === name ? each.after : each.before.includes(name) ? [own] : [];
      return needs.every((need) => {
        const stage = Number(/^\d+/.exec(need)?.[0]);
        return hasEnded(runs.get(need), placement[stage] === device ? 0 : message);
      });
    });
  const candidate = (kind: string, stage: number): number | undefined => {
    const device = placement[stage];
    const delay = (other: number): number => (placement[other] === device ? 0 : message);
    const isAway = (number: number): boolean => runOf('E', stage, number) !== undefined;
    const ready = (number: number): boolean => {
      if (kind === 'F') return stage === 0 || hasEnded(runOf('F', stage - 1, number), delay(stage - 1));
      if (kind === 'W') return hasEnded(runOf('I', stage, number));
      if (kind !== back) return true;
      if (isAway(number) && !hasEnded(runOf('L', stage, number))) return false;
      return (
        hasEnded(runOf('F', stage, number)) &&
        (stage === last || hasEnded(runOf(back, stage + 1, number), delay(stage + 1)))
      );
    };
    if (kind === 'E')
      return numbers.findLast(
        (each) =>
          numbers.every((later) => later < each || runOf('L', stage, later) === undefined) &&
          hasEnded(runOf('F', stage, each)) &&
          runOf(back, stage, each) === undefined &&
          !isAway(each),
      );
    if (kind === 'L') {
      const oldest = numbers.find((each) => isAway(each) && runOf('L', stage, each) === undefined);
      return oldest !== undefined && hasEnded(runOf('E', stage, oldest)) ? oldest : undefined;
    }
    const own = isDeclared(kind)
      ? (rule.declared ?? []).flatMap((each) => (each.kind === kind && each.stage === stage ? [each.number] : []))
      : numbers;
    const next = own.find((each) => runOf(kind, stage, each) === undefined);
    return next !== undefined && ready(next) && isFreeOf(named(kind, stage, next), device) ? next : undefined;
  };
  const stateOf = (stage: number): TickedState => {
    const mine = [...runs.values()].filter((run) => placement[run.stage] === placement[stage]);
    const ofStage = (kind: string): readonly Run[] => mine.filter((run) => run.stage === stage && run.kind === kind);
    const loads = ofStage('L');
    return {
      held: began('F', stage) - ofStage(back).filter((run) => hasEnded(run)).length,
      away: ofStage('E').length - loads.length,
      loaded: loads.filter(({ number }) => runOf(back, stage, number) === undefined).length,
      here: mine.reduce((sum, run) => sum + (isGain(run.kind) ? 1 : hasEnded(run) && isLoss(run.kind) ? -1 : 0), 0),
      done: (kind) => mine.filter((run) => run.kind === kind && (isCopy(kind) || hasEnded(run))).length,
      pending: (kind) =>
        placement.filter((device, other) => device === placement[stage] && candidate(kind, other) !== undefined).length,
    };
  };
  const isGain = (kind: string): boolean => kind === 'F' || kind === 'L';
  const isLoss = (kind: string): boolean => kind === 'E' || kind === back;
  const isCopy = (kind: string): boolean => kind === 'E' || kind === 'L';
  const start = (kind: string, stage: number, number: number): void => {
    const device = placement[stage];
    const name = named(kind, stage, number);
    let ends = now + rule.ticks(kind, stage, number);
    if (isCopy(kind)) {
      const line = `${device} ${copy.half ? '' : kind}`;
      const begins = Math.max(now, lines.get(line) ?? 0);
      lines.set(line, begins + copy.ticks);
      ends = begins + copy.ticks + copy.latency;
    } else busy[device] = ends;
    runs.set(name, { kind, stage, number, began: now, ends });
    order[device].push(name);
  };
  const choose = (device: number): boolean => {
    if (busy[device] > now) return false;
    let best:
      { readonly key: number; readonly kind: string; readonly stage: number; readonly number: number } | undefined;
    for (const [rank, kind] of prefer.entries()) {
      for (const stage of placement.keys()) {
        if (placement[stage] !== device) continue;
        const number = candidate(kind, stage);
        if (number === undefined) continue;
        const key = (rank * microbatches + number) * placement.length + last - stage;
        if ((best === undefined || key < best.key) && rule.allow(kind, stage, stateOf(stage)))
          best = { key, kind, stage, number };
      }
    }
    if (best === undefined) return false;
    start(best.kind, best.stage, best.number);
    return true;
  };

  const needed =
    placement.length * microbatches * (back === 'I' ? 3 : 2) +
    (rule.declared ?? []).filter(({ kind }) => prefer.includes(kind)).length;
  const isOver = (): boolean => [...runs.values()].filter(({ kind }) => !isCopy(kind)).length === needed;
  for (; now < latest && !isOver(); now += 1) {
    // What takes no time is over at once, and its device chooses again.
    for (let moves = true; moves;) {
      moves = false;
      for (let device = 0; device < devices; device += 1) moves = choose(device) || moves;
    }
  }
  return isOver() ? order : undefined;
}
