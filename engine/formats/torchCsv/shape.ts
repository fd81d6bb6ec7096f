import type { Entry, Groups } from './entries.ts';
import type { TorchTable } from './table.ts';

/**
 * What most cells of a table agree on, so that a few wrong ones are found: the number of stages, the rank of each, and the number
 * of microbatches. `undefined` if nothing computes.
 */
export interface Majority {
  readonly stages: number;
  readonly microbatches: number;
  readonly placement: Int32Array;
}

export function majorityOf(table: TorchTable, groups: Groups): Majority | undefined {
  const stages = stagesOf(groups);
  if (stages === 0) return undefined;
  return { stages, microbatches: microbatchesOf(groups, stages), placement: placementOf(table, stages) };
}

const sizeOf = (group: ReadonlyMap<Entry['type'], readonly Entry[]>): number =>
  [...group].reduce((sum, [type, list]) => sum + (type.length === 1 ? list.length : 0), 0);

/** The highest stage with at least half of what a stage has; those above are slips of the pen. */
function stagesOf(groups: Groups): number {
  const sizes = new Map([...groups].map(([stage, group]) => [stage, sizeOf(group)]));
  const sorted = [...sizes.values()].sort((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0;
  let highest = -1;
  for (const [stage, size] of sizes) if (size > usual / 2) highest = Math.max(highest, stage);
  // No more stages than there are: a gap of a million stages is one wrong number, not a million missing stages.
  if (highest + 1 <= 2 * sizes.size) return highest + 1;
  let count = 0;
  while (sizes.has(count)) count += 1;
  return Math.max(1, count);
}

/** The number of distinct microbatches that most stages have of F, of B or I, and of W; the larger where two are as frequent. */
function microbatchesOf(groups: Groups, stages: number): number {
  const votes = new Map<number, number>();
  const distinct = (...lists: (readonly Entry[] | undefined)[]): number =>
    new Set(lists.flatMap((list) => (list ?? []).map((entry) => entry.microbatch))).size;
  for (const [stage, group] of groups) {
    if (stage >= stages) continue;
    const counts = [distinct(group.get('F')), distinct(group.get('B'), group.get('I'))];
    if (group.has('W') && !group.has('B')) counts.push(distinct(group.get('W')));
    for (const count of counts) if (count > 0) votes.set(count, (votes.get(count) ?? 0) + 1);
  }
  let best = 1;
  for (const [count, number] of votes) {
    const against = votes.get(best) ?? 0;
    if (number > against || (number === against && count > best)) best = count;
  }
  return best;
}

/** The row with most cells of a stage; −1 for a stage without cells. */
function placementOf(table: TorchTable, stages: number): Int32Array {
  const placement = new Int32Array(stages).fill(-1);
  const most = new Int32Array(stages);
  for (const [row, cells] of table.rows.entries()) {
    const counts = new Map<number, number>();
    for (const cell of cells) {
      if (cell.kind === 'blank') continue;
      for (const { stage } of cell.kind === 'fused' ? cell.actions : [cell])
        counts.set(stage, (counts.get(stage) ?? 0) + 1);
    }
    for (const [stage, count] of counts) {
      if (stage >= stages || count <= most[stage]) continue;
      most[stage] = count;
      placement[stage] = row;
    }
  }
  return placement;
}
