import { count } from '../../basics/quantities.ts';
import type { StageCopy } from '../../values/plan.ts';
import type { OperationSink, Policy, Shape, ShapeFault } from '../policy.ts';

/**
 * The orders of the authors' code, by device: microbatches of a unit (as many as devices) in the order of their forwards and of
 * their backwards. Microbatch k goes in direction k mod directions. Devices at the `ends` of directions put a backward between
 * their forwards, the others run all forwards of a unit first.
 */
interface Table {
  readonly ends: readonly number[];
  readonly forward: readonly (readonly number[])[];
  readonly backward: readonly (readonly number[])[];
  /** Device of a stage, by direction. */
  readonly directions: readonly ((stage: number) => number)[];
}

const four: Table = {
  ends: [0, 3],
  forward: [
    [0, 2, 1, 3],
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [1, 3, 0, 2],
  ],
  backward: [
    [1, 3, 0, 2],
    [1, 0, 3, 2],
    [0, 1, 2, 3],
    [0, 2, 1, 3],
  ],
  directions: [(stage) => stage, (stage) => 3 - stage],
};

const eight: Table = {
  ends: [0, 3, 4, 7],
  forward: [
    [0, 4, 1, 2, 5, 6, 3, 7],
    [0, 1, 4, 5, 2, 3, 6, 7],
    [1, 0, 5, 4, 3, 2, 7, 6],
    [1, 5, 0, 3, 4, 7, 2, 6],
    [2, 6, 3, 0, 7, 4, 1, 5],
    [2, 3, 6, 7, 0, 1, 4, 5],
    [3, 2, 7, 6, 1, 0, 5, 4],
    [3, 7, 2, 1, 6, 5, 0, 4],
  ],
  backward: [
    [3, 7, 2, 1, 6, 5, 0, 4],
    [3, 2, 7, 6, 1, 0, 5, 4],
    [2, 3, 6, 7, 0, 1, 4, 5],
    [2, 6, 3, 0, 7, 4, 1, 5],
    [1, 5, 0, 3, 4, 7, 2, 6],
    [1, 0, 5, 4, 3, 2, 7, 6],
    [0, 1, 4, 5, 2, 3, 6, 7],
    [0, 4, 1, 2, 5, 6, 3, 7],
  ],
  directions: [(stage) => stage, (stage) => (11 - stage) % 8, (stage) => (stage + 4) % 8, (stage) => 7 - stage],
};

const tableOf = ({ stages }: Shape): Table | undefined => (stages === 4 ? four : stages === 8 ? eight : undefined);

/** Copy c · S + s is stage s in direction c. Without a table, as `check` will say, the stages as they are. */
const copiesOf = (shape: Shape): readonly StageCopy[] => {
  const every = tableOf(shape)?.directions.length ?? 1;
  return Array.from({ length: every * shape.stages }, (_, index) => ({
    stage: index % shape.stages,
    every,
    first: Math.floor(index / shape.stages),
  }));
};

const placementOf = (shape: Shape): Int32Array => {
  const directions = tableOf(shape)?.directions ?? [(stage: number) => stage];
  return Int32Array.from(
    directions.flatMap((device) => Array.from({ length: shape.stages }, (_, stage) => device(stage))),
  );
};

function faults(shape: Shape): readonly ShapeFault[] {
  const { stages, microbatches } = shape;
  const values = stages > 6 ? [8, 4] : [4, 8];
  const message = `its orders are for 4 stages (2 directions) or 8 stages (4 directions), not for ${stages}`;
  const found: ShapeFault[] = tableOf(shape) === undefined ? [{ message, fix: { input: 'stages', values } }] : [];
  const unit = found.length > 0 ? values[0] : stages;
  if (microbatches % unit === 0) return found;
  const below = microbatches - (microbatches % unit);
  found.push({
    message: `${count(microbatches, 'microbatch does', 'microbatches do')} not divide into units of ${unit}`,
    fix: { input: 'microbatches', values: below > 0 ? [below, below + unit] : [unit] },
  });
  return found;
}

/** Chen, Wu and Yu, "AMDP: Asynchronous Multi-Directional Pipeline Parallelism for Large-Scale Models Training" (ICML 2026; arXiv:2605.29664). */
export const amdp: Policy = {
  name: 'amdp',
  summary:
    'Two or four pipelines in different directions over the same devices, without a flush. Few microbatches of each are in flight, so weights differ by at most one update. Costs two or four copies of the weights.',
  page: 'amdp',
  parameters: [],
  split: false,
  operations: 3,
  chunks: () => 1,
  copies: copiesOf,
  placement: placementOf,
  weights: () => 'latest',
  check: faults,
  order,
  explain(shape) {
    const directions = tableOf(shape)?.directions.length ?? 1;
    return [
      `directions: ${directions}; microbatch j goes in direction j mod ${directions}, and each device holds ${directions} stages`,
      `units of ${shape.stages} microbatches follow each other; the first unit of an iteration updates with the gradients of the previous iteration`,
      'staleness: at most 1; the backward uses the newest weights, which may be one update newer than the weights of its forward',
      `weights: ${directions} times the weights of one pipeline; gradients are reduced over the ${directions} copies of a stage`,
    ];
  },
};

function order(shape: Shape, device: number, out: OperationSink): void {
  const table = tableOf(shape);
  if (table === undefined) return;
  const { stages, microbatches, iterations } = shape;
  const { forward: forwards, backward: backwards, directions } = table;
  const [forward, backward] = [forwards[device], backwards[device]];
  const rows = directions.map((deviceOf, direction) => {
    const stage = Array.from({ length: stages }, (_, index) => index).findIndex((value) => deviceOf(value) === device);
    return direction * stages + stage;
  });
  const perIteration = microbatches / stages;
  const units = perIteration * iterations;
  const last = stages - 1;
  const run = (unit: number, of: readonly number[], index: number, kind: 'forward' | 'backward'): void =>
    out[kind](rows[of[index] % directions.length], unit * stages + of[index]);
  /** With the gradients of the iteration that ends before `unit`. */
  const update = (unit: number): void => {
    for (let direction = 0; direction < directions.length; direction += 1)
      out.update(rows[direction], unit * stages - directions.length + direction);
  };
  const before = (unit: number): void => {
    if (unit > 0) run(unit - 1, backward, last, 'backward');
  };
  const atEnd = table.ends.includes(device);
  for (let unit = 0; unit < units; unit += 1) {
    if (!atEnd) before(unit);
    for (let index = 0; index < last; index += 1) {
      if (atEnd && index === 2) before(unit);
      run(unit, forward, index, 'forward');
    }
    if (atEnd) run(unit, backward, 0, 'backward');
    // With four devices the update stands before the last forward of the ends, else behind it.
    const updates = unit > 0 && unit % perIteration === 0;
    if (updates && atEnd && stages === 4) update(unit);
    run(unit, forward, last, 'forward');
    if (updates && !(atEnd && stages === 4)) update(unit);
    for (let index = atEnd ? 1 : 0; index < last; index += 1) run(unit, backward, index, 'backward');
  }
  if (units === 0) return;
  run(units - 1, backward, last, 'backward');
  update(units);
}
