/** Experts over more or fewer ranks, and whole or split over tensor ranks. */
import { parts } from '../costs/layerPart.ts';
import type { Subject } from './candidates.ts';
import { traded } from './ranks.ts';
import { setKey, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

const factors = [2, 4, 8, 16];

const hasExperts = ({ plan }: Subject): boolean =>
  plan.stages.some(({ activationParts = {} }) => parts.experts in activationParts);

/** Each rank holds fewer of the experts, and tokens go to more ranks. */
export function* moreExpertRanks(subject: Subject): Generator<Candidate, void, void> {
  if (!hasExperts(subject)) return;
  const { data, context, expert } = subject.plan;
  for (const factor of factors)
    if ((data * context) % (factor * expert) === 0) yield expertRanks(subject, factor * expert);
}

/** Tokens stay on fewer ranks, each of which holds more of the experts. */
export function* fewerExpertRanks(subject: Subject): Generator<Candidate, void, void> {
  const { expert } = subject.plan;
  for (const factor of factors) if (expert % factor === 0) yield expertRanks(subject, expert / factor);
}

const expertRanks = ({ analysis, body }: Subject, ranks: number): Candidate => ({
  what: `Use ${ranks} expert ${ranks === 1 ? 'rank' : 'ranks'}`,
  kind: 'expert',
  edits: [setKey(analysis.syntax.text, body, 'expert', String(ranks))],
});

/**
 * Fewer tensor ranks, and experts over more: products of small experts are too small to split. Devices hold the same share of the
 * experts, or half of it, and exchange tokens within a node.
 */
export function* expertsForTensor(subject: Subject): Generator<Candidate, void, void> {
  const { analysis, body, plan, pipeline } = subject;
  if (plan.tensor < 2 || !hasExperts(subject)) return;
  const { perNode = Infinity } = analysis.resolution.sizes.get(pipeline) ?? {};
  for (const tensor of new Set([1, plan.tensor / 2])) {
    const data = (plan.data * plan.tensor) / tensor;
    const whole = (plan.expert * plan.tensor) / tensor;
    for (const expert of [2 * whole, whole]) {
      if (!Number.isInteger(tensor) || (data * plan.context) % expert !== 0 || tensor * expert > perNode) continue;
      for (const { what, ...candidate } of traded(subject, { tensor, data }))
        yield {
          ...candidate,
          what: `${what}, and ${expert} expert ranks`,
          edits: [
            ...candidate.edits,
            setKey(analysis.syntax.text, body, 'expert', String(expert)),
            ...(tensor === 1 ? [] : [setKey(analysis.syntax.text, body, 'expert_tensor', '1')]),
          ],
        };
    }
  }
}

/** Tensor ranks become expert ranks: each expert is whole, so its products are larger and nothing is summed. */
export function* wholeExperts(subject: Subject): Generator<Candidate, void, void> {
  const { analysis, body, plan } = subject;
  if (plan.tensor < 2 || !hasExperts(subject) || valueOf(body, 'expert_tensor') !== undefined) return;
  yield {
    what: `Keep every expert whole on ${plan.tensor * plan.expert} expert ranks`,
    kind: 'expert',
    edits: [
      setKey(analysis.syntax.text, body, 'expert', String(plan.tensor * plan.expert)),
      setKey(analysis.syntax.text, body, 'expert_tensor', '1'),
    ],
  };
}
