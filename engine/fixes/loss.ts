/** A loss that keeps fewer bytes of each logit. */
import type { Expression } from '../../grammar/syntax.ts';
import { findEngine } from '../engines/registry.ts';
import { wordRefusal } from '../engines/words.ts';
import { callableOf, withArguments } from './callArguments.ts';
import type { Subject } from './candidates.ts';
import { modelEdits } from './modelKey.ts';
import { entriesOf, modelBody, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** The least bytes first. */
const ways = [
  { loss: 'fused', what: 'Fuse the loss' },
  { loss: 'chunked(8)', what: 'Compute the loss in 8 chunks' },
] as const;

/** Gradients in the place of the logits, or few logits at a time, as the engine has it. */
export function* lossCandidates(subject: Subject): Generator<Candidate, void, void> {
  const { analysis, plan } = subject;
  const engine = findEngine(plan.engines?.chosen ?? '');
  const way = ways.find(({ loss }) => engine === undefined || wordRefusal(engine, 'loss', loss) === undefined);
  if (way === undefined) return;
  const { loss, what } = way;
  const body = modelBody(analysis, plan.model);
  let isHere = false;
  for (const layer of body === undefined ? [] : entriesOf(body, 'layer')) {
    const shape: Expression | undefined = layer.body === undefined ? layer.values?.[0] : valueOf(layer.body, 'shape');
    const head = callableOf(shape);
    if (head?.kind !== 'call' || head.callee.text !== 'lm_head') continue;
    isHere = true;
    const edit = withArguments(analysis.syntax.text, head, { loss }, ({ name }) => name?.text ?? '');
    yield { what, kind: 'loss', edits: [edit] };
  }
  if (!isHere) yield { what, kind: 'loss', edits: modelEdits(subject, { key: 'loss', value: loss }) };
}
