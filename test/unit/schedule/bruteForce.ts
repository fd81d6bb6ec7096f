/** A plain simulator of rows of named operations, made of objects and maps: each starts when all before it has ended. */
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { type Program, kindOf, letters, microbatchOf, operationName, stageOf } from '../../../engine/values/program.ts';

export interface Operation {
  readonly letter: (typeof letters)[number];
  readonly stage: number;
  readonly microbatch: number;
  /** Shares its slot with the next one: both start when both can, and end together. */
  readonly withNext?: boolean;
}
export type Rows = readonly (readonly Operation[])[];

export function programFor(plan: PipelinePlan): Program {
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults.map(({ message }) => message).join('\n'));
  return generated.program;
}

export const rowsOf = (program: Program): Rows =>
  Array.from({ length: program.devices }, (_, device) =>
    [...program.order.subarray(program.offsets[device], program.offsets[device + 1])].map((word, at) => ({
      letter: letters[kindOf(program, word)],
      stage: stageOf(program, word),
      microbatch: microbatchOf(program, word),
      ...(program.fused?.[program.offsets[device] + at] === 1 ? { withNext: true } : {}),
    })),
  );

export const namesOf = (program: Program): readonly (readonly string[])[] =>
  Array.from({ length: program.devices }, (_, device) =>
    [...program.order.subarray(program.offsets[device], program.offsets[device + 1])].map((word) =>
      operationName(program, word),
    ),
  );

export interface Simulated {
  /** Undefined where the rows never end. */
  readonly makespan: number;
  readonly idle: readonly number[];
  /** (Longest device span) − (that device's busy time). */
  readonly spanBubble: number;
  readonly inFlight: readonly number[];
  readonly starts: ReadonlyMap<number, number>;
}

/** Longest path by passing over the rows until nothing moves; undefined where something waits for itself. */
export function bruteForce(plan: PipelinePlan, rows: Rows, overlap = 0): Simulated | undefined {
  const { at, now, busy, starts } = bruteForceUntilStalled(plan, rows, overlap);
  if (rows.some((row, device) => at[device] < row.length)) return undefined;
  const makespan = Math.max(...now);
  const spans = rows.map((row, device) => {
    const [first] = row;
    if (first === undefined) return 0;
    return now[device] - (starts.get(key(first.letter, first.stage, first.microbatch)) ?? 0);
  });
  const longest = spans.indexOf(Math.max(...spans));
  return {
    makespan,
    idle: busy.map((value) => makespan - value),
    spanBubble: spans[longest] - busy[longest],
    inFlight: rows.map(inFlightOf),
    starts,
  };
}

/** What `starts` and `ends` are listed under. */
export const key = (letter: Operation['letter'], stage: number, microbatch: number): number =>
  (letters.indexOf(letter) * 1e4 + stage) * 1e5 + microbatch;

/** As far as the rows go: how many of each have run (`at`), until when (`now`), and when each operation ran. */
export function bruteForceUntilStalled(plan: PipelinePlan, rows: Rows, overlap = 0) {
  const ends = new Map<number, number>();
  const starts = new Map<number, number>();
  const at = rows.map(() => 0);
  const now = rows.map(() => 0);
  const busy = rows.map(() => 0);
  const transfer = (a: number, b: number, bytes: number) => {
    const [from, to] = [plan.placement[a], plan.placement[b]];
    const route = plan.routes.find((routePlan) => routePlan.from === from && routePlan.to === to);
    return route === undefined ? 0 : route.latency + bytes / route.bandwidth;
  };
  // What each stage waits for, and how long after its end: the activations of stages before it, the gradients of stages after it.
  const inputs = plan.stages.map((_, stage) =>
    plan.edges
      .filter(({ to }) => to === stage)
      .map(({ from, bytes }) => ({ of: from, after: transfer(from, stage, bytes) })),
  );
  const gradients = plan.stages.map((_, stage) =>
    plan.edges
      .filter(({ from }) => from === stage)
      .map(({ to, bytes }) => ({ of: to, after: transfer(to, stage, bytes) })),
  );
  const arrival = ({ letter, stage, microbatch }: Operation): number | undefined => {
    const result = (kind: 'F' | 'G', of: number) =>
      kind === 'F'
        ? ends.get(key('F', of, microbatch))
        : (ends.get(key('B', of, microbatch)) ?? ends.get(key('I', of, microbatch)));
    const needed: (number | undefined)[] = [];
    if (letter === 'F') {
      for (const { of, after } of inputs[stage]) needed.push(add(result('F', of), after));
    } else if (letter === 'W') needed.push(ends.get(key('I', stage, microbatch)));
    else if (letter === 'R' || letter === 'E') needed.push(result('F', stage));
    else if (letter === 'L') needed.push(ends.get(key('E', stage, microbatch)));
    else if (letter === 'U') needed.push(result('G', stage));
    else {
      needed.push(result('F', stage));
      for (const { of, after } of gradients[stage]) needed.push(add(result('G', of), after));
    }
    return needed.some((value) => value === undefined) ? undefined : Math.max(0, ...needed.map(Number));
  };
  for (let moved = true; moved;) {
    moved = false;
    for (const [device, row] of rows.entries()) {
      while (at[device] < row.length) {
        const slot = row.slice(at[device], at[device] + (row[at[device]].withNext === true ? 2 : 1));
        const ready = slot.map(arrival);
        if (!ready.every((value) => value !== undefined)) break;
        const times = slot.map(({ letter, stage }) => {
          const { forward: F, backwardInput: I, backwardWeight: W } = plan.stages[stage];
          return { F, I, W, B: I + W, R: plan.stages[stage].recompute, U: 0, E: 0, L: 0 }[letter];
        });
        const hides = slot.length > 1 ? overlap * Math.min(...times) : 0;
        const duration = times.reduce((sum, time) => sum + time, -hides);
        const start = Math.max(...ready, now[device]);
        for (const { letter, stage, microbatch } of slot) {
          starts.set(key(letter, stage, microbatch), start);
          ends.set(key(letter, stage, microbatch), start + duration);
        }
        now[device] = start + duration;
        busy[device] += duration;
        at[device] += slot.length;
        moved = true;
      }
    }
  }
  return { at, now, busy, starts, ends };
}

const add = (time: number | undefined, more: number) => (time === undefined ? undefined : time + more);

/** Most microbatches of a stage each that a device holds at a time: from F to B or W. */
export function inFlightOf(row: readonly Operation[]): number {
  let held = 0;
  let most = 0;
  for (const { letter } of row) {
    if (letter === 'F') held += 1;
    most = Math.max(most, held);
    if (letter === 'B' || letter === 'W') held -= 1;
  }
  return most;
}

export function simulated(plan: PipelinePlan): Simulated {
  const result = bruteForce(plan, rowsOf(programFor(plan)));
  if (result === undefined) throw new Error('the program never ends');
  return result;
}
