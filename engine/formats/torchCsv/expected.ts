import type { Entry, Groups } from './entries.ts';
import type { Majority } from './shape.ts';
import type { Dialect } from './table.ts';

/** Types that a stage has for each microbatch, and whether its backward is whole. */
export interface Wanted {
  readonly split: boolean;
  /** Somewhere in the table a backward is in two: a half alone then misses its other half. */
  readonly halves: boolean;
  readonly transfers: readonly Entry['type'][];
}

/** What each stage of a complete table has. A backward may be whole for one microbatch and split for another. */
export function wantedOf(groups: Groups, shape: Majority, dialect: Dialect): readonly Wanted[] {
  const { stages, placement } = shape;
  const apart = (stage: number, other: number): boolean =>
    other >= 0 && other < stages && placement[stage] !== placement[other];
  const count = (stage: number, type: Entry['type']): number => groups.get(stage)?.get(type)?.length ?? 0;
  const all = Array.from({ length: stages }, (_, stage) => stage);
  const sum = (type: Entry['type']): number => all.reduce((total, stage) => total + count(stage, type), 0);
  const [wholes, inputs, weights] = [sum('B'), sum('I'), sum('W')];
  const halves = inputs > 0 && weights > 0;
  return all.map((stage) => {
    const [whole, half] = [count(stage, 'B'), Math.max(count(stage, 'I'), count(stage, 'W'))];
    const transfers: Entry['type'][] = [];
    if (dialect === 'compute_comms') {
      if (apart(stage, stage + 1)) transfers.push('SEND_F', 'RECV_B');
      if (apart(stage, stage - 1)) transfers.push('RECV_F', 'SEND_B');
    }
    return { split: whole === half ? inputs > wholes : half > whole, halves, transfers };
  });
}
