/** How little the rows of neighbouring stages are alike: a row with a mistake differs from rows that follow one rule. */
import type { PipelinePlan, RowItem } from '../../values/plan.ts';

/**
 * The sum over all operations: how far the position of an operation is from the mean of its positions on the stages before and after. A
 * position is the number of forwards and of backwards before it. Most rules move an operation by an equal step from each stage to the
 * next: 1F1B warms up with one forward less, GPipe with as many. 0 for fewer than three stages and for stages with copies.
 */
export function unevenness({ stages }: PipelinePlan, rows: readonly (readonly RowItem[])[]): number {
  if (stages.length < 3 || stages.some(({ copy }) => copy !== undefined)) return 0;
  const positions = stages.map(() => new Map<string, readonly [forwards: number, backwards: number]>());
  for (const row of rows) {
    const before = stages.map((): [number, number] => [0, 0]);
    for (const { op, stage, microbatch } of row) {
      const kind = op === 'F' ? 0 : op === 'B' || op === 'I' ? 1 : undefined;
      if (kind === undefined) continue;
      positions[stage].set(`${kind} ${microbatch}`, [...before[stage]]);
      before[stage][kind] += 1;
    }
  }
  let sum = 0;
  for (let stage = 1; stage + 1 < stages.length; stage += 1)
    for (const [operation, position] of positions[stage]) {
      const [previous, next] = [positions[stage - 1].get(operation), positions[stage + 1].get(operation)];
      if (previous === undefined || next === undefined) continue;
      for (const kind of [0, 1]) sum += Math.abs(previous[kind] - 2 * position[kind] + next[kind]);
    }
  return sum;
}
