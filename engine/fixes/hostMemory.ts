/** A host that needs more memory than it has: fewer layers whose activations are there, or a smaller share of the optimizer. */
import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { callableOf, withArguments } from './callArguments.ts';
import { inTurn, setNumber, type Subject, subjectOf, trialsFor } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { remains } from './remains.ts';
import { valueOf } from './source.ts';
import { type Candidate, fixesAmong } from './trial.ts';

/** `values`: the most layers that fit, if activations of layers are all that is there. */
type Hint = Extract<FixHint, { readonly kind: 'value' }>;

export function* hostMemoryFixes(
  analysis: Analysis,
  finding: Finding,
  { pipeline, values }: Hint,
  again: Again,
): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  if (subject === undefined) return [];
  const candidates = inTurn(trialsFor(subject.plan), layerCandidates(subject, values[0]), shareCandidates(subject));
  const met = (changed: Analysis) => !remains(changed, finding);
  return yield* fixesAmong(analysis, { pipeline, emphasis: 'memory', met, mostOfKind: 1 }, candidates, again);
}

/** Fewer layers. Of those that fit the most leave the device most memory, so they are the fix that is shown. */
function* layerCandidates(
  { analysis, body }: Subject,
  most: number | undefined,
): Generator<Candidate | undefined, void, void> {
  const offload = valueOf(body, 'offload');
  const layers = offload?.kind === 'call' ? offload.arguments.find(({ name }) => name?.text === 'layers') : undefined;
  const value = layers?.value;
  const now =
    value?.kind === 'quantity'
      ? value.value
      : analysis.resolution.plan.params.find((param) => value?.kind === 'name' && param.name === value.text)?.value;
  if (now === undefined || most === undefined) return;
  // Layers of different sizes may leave room for one more, or for less.
  for (const count of [most + 1, most, most - 1])
    if (count >= 1 && count < now)
      yield { what: `Offload ${count} layers`, kind: 'layers', edits: [setNumber(analysis, value, count)] };
}

/** Shares of the optimizer that is left on the host. */
const shares = [75, 50, 25];

function* shareCandidates({ analysis, body }: Subject): Generator<Candidate | undefined, void, void> {
  const optimizer = callableOf(valueOf(body, 'optimizer'));
  const written =
    optimizer?.kind === 'call' ? optimizer.arguments.find(({ name }) => name?.text === 'offload') : undefined;
  if (optimizer === undefined || written === undefined) return;
  const now = analysis.syntax.text.slice(written.value.start, written.value.end);
  for (const share of shares)
    if (!(Number.parseFloat(now) <= share))
      yield {
        what: `Offload ${share}% of the optimizer`,
        kind: 'share',
        edits: [withArguments(analysis.syntax.text, optimizer, { offload: `${share}%` }, ({ name }) => name?.text)],
      };
}
