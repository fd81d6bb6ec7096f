import { type StageAction, computing, type Numbered } from './table.ts';

/** Stages whose parameters PyTorch keeps whole at a time: one for a forward, one for a backward, one fetched ahead. */
const mostActive = 3;

/**
 * `_add_unshard_reshard`: before each action the parameters of the next stages that will compute are gathered (UNSHARD), and the
 * parameters of others released (RESHARD). If several are released at once, PyTorch uses the order of a hash table; here it is
 * the order of the stages.
 */
export function withSharding(row: readonly Numbered[]): readonly Numbered[] {
  const ahead = nextStages(row);
  const active = new Set<number>();
  const result: Numbered[] = [];
  for (const [at, action] of row.entries()) {
    const wanted = ahead[at];
    const put = (stage: number, type: StageAction['type']): void => {
      result.push({ ...action, cell: { kind: 'stage', stage, type } });
    };
    const release = [...active].filter((stage) => !wanted.includes(stage)).sort((a, b) => a - b);
    for (const stage of release) {
      active.delete(stage);
      put(stage, 'RESHARD');
    }
    for (const stage of wanted) {
      if (active.has(stage)) continue;
      active.add(stage);
      put(stage, 'UNSHARD');
    }
    result.push(action);
  }
  const last = row.at(-1);
  if (last !== undefined) {
    for (const stage of [...active].sort((a, b) => a - b))
      result.push({ ...last, cell: { kind: 'stage', stage, type: 'RESHARD' } });
  }
  return result;
}

/** For each position the next stages that compute, from there on, nearest first: three, or four where the third is of a fused slot. */
function nextStages(row: readonly Numbered[]): readonly (readonly number[])[] {
  const result = new Array<readonly number[]>(row.length);
  let known: readonly number[] = [];
  const nearest: number[] = [];
  const at = new Map<number, number>();
  for (let position = row.length - 1; position >= 0; position -= 1) {
    for (const { stage } of [...computing(row[position].cell)].reverse()) {
      const before = nearest.indexOf(stage);
      if (before >= 0) nearest.splice(before, 1);
      nearest.unshift(stage);
      at.set(stage, position);
    }
    const [third, fourth] = [nearest[mostActive - 1], nearest[mostActive]];
    const paired = fourth !== undefined && at.get(third) === at.get(fourth);
    const next = nearest.slice(0, paired ? mostActive + 1 : mostActive);
    // Most positions have the stages of the one behind them: millions of equal lists take too much room.
    if (next.length !== known.length || next.some((stage, place) => stage !== known[place])) known = next;
    result[position] = known;
  }
  return result;
}

/** `_add_reduce_grad`: after the last B or W of a stage its gradients are reduced. Blanks are gone by then. */
export function withReduceGrad(row: readonly Numbered[], microbatches: number): readonly Numbered[] {
  const counts = new Map<number, number>();
  const result: Numbered[] = [];
  for (const value of row) {
    result.push(value);
    for (const { type, stage } of computing(value.cell)) {
      if (type !== 'B' && type !== 'W') continue;
      const count = (counts.get(stage) ?? 0) + 1;
      counts.set(stage, count);
      if (count === microbatches) result.push({ ...value, cell: { kind: 'stage', stage, type: 'REDUCE_GRAD' } });
    }
  }
  return result;
}
