/** Frozen weights in 4 bits, next to which adapters train. */
import { findFunction } from '../language/functions.ts';
import { callableOf, withArguments } from './callArguments.ts';
import type { Subject } from './candidates.ts';
import { modelBody, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Products in other numbers than the file says, so it comes after what keeps them. */
export function* packedWeightsCandidates({ analysis, plan }: Subject): Generator<Candidate, void, void> {
  const model = modelBody(analysis, plan.model);
  const trains = callableOf(model === undefined ? undefined : valueOf(model, 'trainable'));
  if (trains?.kind !== 'call' || trains.callee.text !== 'lora') return;
  yield {
    what: 'Keep the frozen weights as nf4',
    kind: 'packed',
    numerics: true,
    edits: [withArguments(analysis.syntax.text, trains, { weights: 'nf4' }, nameOf)],
  };
}

const nameOf = ({ name }: { readonly name?: { readonly text: string } }, at: number): string | undefined =>
  name?.text ?? findFunction('trainable', 'lora')?.parameters[at]?.name;
