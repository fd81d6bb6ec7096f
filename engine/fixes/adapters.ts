/** Frozen weights in 4 bits, next to which adapters train. */
import type { SyntaxFile } from '../../grammar/index.ts';
import { findFunction } from '../language/functions.ts';
import { callableOf, withArguments } from './callArguments.ts';
import type { Subject } from './candidates.ts';
import type { Edit } from './proposal.ts';
import { modelBody, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Products in other numbers than the file says, so it comes after what keeps them. */
export function* packedWeightsCandidates({ analysis, plan }: Subject): Generator<Candidate, void, void> {
  const edit = packedWeights(analysis.syntax, plan.model);
  if (edit !== undefined)
    yield { what: 'Keep the frozen weights as nf4', kind: 'packed', numerics: true, edits: [edit] };
}

/** Of a model of the file that trains adapters. */
export function packedWeights(syntax: SyntaxFile, name: string): Edit | undefined {
  const model = modelBody({ syntax }, name);
  const trains = callableOf(model === undefined ? undefined : valueOf(model, 'trainable'));
  if (trains?.kind !== 'call' || trains.callee.text !== 'lora') return undefined;
  return withArguments(syntax.text, trains, { weights: 'nf4' }, nameOf);
}

const nameOf = ({ name }: { readonly name?: { readonly text: string } }, at: number): string | undefined =>
  name?.text ?? findFunction('trainable', 'lora')?.parameters[at]?.name;
