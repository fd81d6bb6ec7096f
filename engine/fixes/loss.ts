/** A loss that keeps fewer bytes of each logit. */
import type { Expression } from '../../grammar/syntax.ts';
import { callableOf, withArguments } from './callArguments.ts';
import type { Subject } from './candidates.ts';
import { entriesOf, modelBody, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Gradients in the place of the logits, where this file has the head of the model. */
export function* lossCandidates({ analysis, plan }: Subject): Generator<Candidate, void, void> {
  const body = modelBody(analysis, plan.model);
  for (const layer of body === undefined ? [] : entriesOf(body, 'layer')) {
    const shape: Expression | undefined = layer.body === undefined ? layer.values?.[0] : valueOf(layer.body, 'shape');
    const head = callableOf(shape);
    if (head?.kind !== 'call' || head.callee.text !== 'lm_head') continue;
    const edit = withArguments(analysis.syntax.text, head, { loss: 'fused' }, ({ name }) => name?.text ?? '');
    yield { what: 'Fuse the loss', kind: 'loss', edits: [edit] };
  }
}
