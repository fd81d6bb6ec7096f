import type { Block, Expression } from '../../grammar/syntax.ts';
import { numberAt, setNumber, type Subject } from './candidates.ts';
import { modelBody, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Factors to try, the nearest first. */
const factors = [2, 4, 8];

/** Smaller micro-batches and more of them, or larger and fewer: the batch of one iteration stays the same. */
export function* sameBatchCandidates(
  { analysis, plan, body }: Subject,
  sizes: 'any' | 'smaller' = 'any',
): Generator<Candidate | undefined, void, void> {
  const model = modelBody(analysis, plan.model);
  const samples = model === undefined ? undefined : valueOf(model, 'micro_batch');
  const microbatches = valueOf(body, 'microbatches');
  const size = numberAt(analysis, samples);
  const count = numberAt(analysis, microbatches);
  if (size === undefined) return;
  for (const factor of factors)
    for (const [smaller, more] of [
      [size / factor, factor],
      [size * factor, 1 / factor],
    ]) {
      if (sizes === 'smaller' && smaller > size) continue;
      if (!Number.isInteger(smaller) || (count !== undefined && !Number.isInteger(count * more))) continue;
      // Where the number of microbatches is computed, it may follow from their size.
      const many = count === undefined ? [] : [setNumber(analysis, microbatches, count * more)];
      yield {
        what: `Set micro_batch to ${smaller}${count === undefined ? '' : ` and microbatches to ${count * more}`}`,
        kind: 'micro-batch',
        samples: smaller / size,
        edits: [setNumber(analysis, samples, smaller), ...many],
      };
    }
}

/** More microbatches in one iteration. For a param, numbers in its range. */
export function* microbatchCandidates(subject: Subject): Generator<Candidate | undefined, void, void> {
  const { analysis, body } = subject;
  const key = batchKey(body);
  const written = valueOf(body, key);
  const now = numberAt(analysis, written);
  if (now === undefined) return;
  for (const factor of factors.slice(0, 2)) {
    const count = reachable(subject, written, factor * now);
    if (count <= now) continue;
    yield {
      what: `Set ${key} to ${count}`,
      kind: 'microbatches',
      edits: [setNumber(analysis, written, count)],
    };
  }
}

/** The key that says how many microbatches an iteration has. */
export const batchKey = (body: Block): 'microbatches' | 'global_batch' =>
  valueOf(body, 'microbatches') === undefined && valueOf(body, 'global_batch') !== undefined
    ? 'global_batch'
    : 'microbatches';

/** The number, or the nearest one below it that the param may have. */
function reachable({ analysis }: Subject, written: Expression | undefined, wanted: number): number {
  const name = written?.kind === 'name' ? written.text : undefined;
  const param = analysis.resolution.plan.params.find((candidate) => candidate.name === name);
  if (param === undefined) return wanted;
  const most = Math.min(wanted, param.max ?? wanted);
  const { min = 0, step } = param;
  return step === undefined ? Math.floor(most) : min + Math.floor((most - min) / step) * step;
}
