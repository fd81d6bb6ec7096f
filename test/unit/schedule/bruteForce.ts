/** A plain simulator of rows of named operations, made of objects and maps: each starts when all before it has ended. */
import type { PipelinePlan } from '../../../engine/plan/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import {
  type Program,
  kindOf,
  letters,
  microbatchOf,
  operationName,
  stageOf,
} from '../../../engine/schedule/program.ts';

export interface Operation {
  readonly letter: 'F' | 'B' | 'I' | 'W';
  readonly stage: number;
  readonly microbatch: number;
}
export type Rows = readonly (readonly Operation[])[];

export function programFor(plan: PipelinePlan): Program {
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults.map(({ message }) => message).join('\n'));
  return generated.program;
}

export const rowsOf = (program: Program): Rows =>
  Array.from({ length: program.devices }, (_, device) =>
    [...program.order.subarray(program.offsets[device], program.offsets[device + 1])].map((word) => ({
      letter: (['F', 'B', 'I', 'W'] as const).find((one) => one === letters[kindOf(program, word)]) ?? 'F',
      stage: stageOf(program, word),
      microbatch: microbatchOf(program, word),
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
  readonly starts: ReadonlyMap<string, number>;
}

/** Longest path by passing over the rows until nothing moves; undefined where something waits for itself. */
export function bruteForce(plan: PipelinePlan, rows: Rows): Simulated | undefined {
  const ends = new Map<string, number>();
  const starts = new Map<string, number>();
  const at = rows.map(() => 0);
  const now = rows.map(() => 0);
  const busy = rows.map(() => 0);
  const key = (letter: string, stage: number, microbatch: number) => `${letter} ${stage} ${microbatch}`;
  const transfer = (a: number, b: number, bytes: number) => {
    const [from, to] = [plan.placement[a], plan.placement[b]];
    const route = plan.routes.find((one) => one.from === from && one.to === to);
    return route === undefined ? 0 : route.latency + bytes / route.bandwidth;
  };
  const arrival = ({ letter, stage, microbatch }: Operation): number | undefined => {
    const result = (kind: 'F' | 'G', of: number) =>
      kind === 'F'
        ? ends.get(key('F', of, microbatch))
        : (ends.get(key('B', of, microbatch)) ?? ends.get(key('I', of, microbatch)));
    const needed: (number | undefined)[] = [];
    if (letter === 'F') {
      for (const edge of plan.edges)
        if (edge.to === stage) needed.push(add(result('F', edge.from), transfer(edge.from, stage, edge.bytes)));
    } else if (letter === 'W') needed.push(ends.get(key('I', stage, microbatch)));
    else {
      needed.push(result('F', stage));
      for (const edge of plan.edges)
        if (edge.from === stage) needed.push(add(result('G', edge.to), transfer(edge.to, stage, edge.bytes)));
    }
    return needed.some((one) => one === undefined) ? undefined : Math.max(0, ...needed.map(Number));
  };
  for (let moved = true; moved;) {
    moved = false;
    for (const [device, row] of rows.entries()) {
      for (; at[device] < row.length; at[device] += 1) {
        const operation = row[at[device]];
        const ready = arrival(operation);
        if (ready === undefined) break;
        const stage = plan.stages[operation.stage];
        const { forward: F, backwardInput: I, backwardWeight: W } = stage;
        const duration = { F, I, W, B: I + W }[operation.letter];
        const start = Math.max(ready, now[device]);
        const name = key(operation.letter, operation.stage, operation.microbatch);
        starts.set(name, start);
        ends.set(name, start + duration);
        now[device] = start + duration;
        busy[device] += duration;
        moved = true;
      }
    }
  }
  if (rows.some((row, device) => at[device] < row.length)) return undefined;
  const makespan = Math.max(...now);
  const spans = rows.map((row, device) => {
    const [first] = row;
    return now[device] - (starts.get(key(first.letter, first.stage, first.microbatch)) ?? 0);
  });
  const longest = spans.indexOf(Math.max(...spans));
  return {
    makespan,
    idle: busy.map((one) => makespan - one),
    spanBubble: spans[longest] - busy[longest],
    inFlight: rows.map(inFlightOf),
    starts,
  };
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
