/** What a training engine runs instead, and what it does where the file leaves it open. */
import { findOptimizer } from '../costs/optimizer.ts';
import { writeText } from '../engines/engine.ts';
import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { parametersOf } from '../policies/parameters.ts';
import { findPolicy } from '../policies/registry.ts';
import { callableOf, withArguments } from './callArguments.ts';
import { inTurn, type Subject, subjectOf, trialsFor } from './candidates.ts';
import { policyCandidates } from './policies.ts';
import { sequenceKey } from './overlapTensor.ts';
import { type Again, apply, type Edit, type FixSteps } from './proposal.ts';
import { withoutNode } from './repairs/edits.ts';
import { modelEdits } from './modelKey.ts';
import { entriesOf, setKey, valueOf } from './source.ts';
import { type Candidate, fixesAmong, type Goal } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'engine' }>;
type Write = Hint['writes'][number];

/** The nearest that the engine runs, the fastest first; of a schedule all that it runs here. Offered even if a device does not fit then. */
export function* engineFixes(analysis: Analysis, finding: Finding, hint: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, hint.pipeline, again);
  if (subject === undefined) return [];
  const isSame = ({ code, hint: other }: Finding): boolean =>
    code === finding.code && isAt(other, hint.pipeline, hint.key);
  const goal: Goal = {
    pipeline: hint.pipeline,
    emphasis: 'time',
    met: (changed) => !changed.findings.some(isSame),
    most: 3,
    mayOverfill: true,
  };
  const orders = hint.key === 'schedule' ? schedules(subject, hint) : [];
  return yield* fixesAmong(analysis, goal, inTurn(trialsFor(subject.plan), writing(subject, hint), orders), again);
}

/** The nearest one is an alternative to the fastest ones. */
function* schedules(subject: Subject, { writes: [nearest] }: Hint): Generator<Candidate | undefined, void, void> {
  for (const candidate of policyCandidates(subject, 'time', 'flush'))
    yield candidate?.policy?.schedule === nearest?.value && candidate !== undefined
      ? { ...candidate, kind: 'nearest' }
      : candidate;
}

function* writing(subject: Subject, hint: Hint): Generator<Candidate, void, void> {
  const { writes } = hint;
  // A schedule without an argument may need another cut.
  if (writes.length === 0 || writes.some(({ key, argument }) => key === 'schedule' && argument === undefined)) return;
  const edits = editsOf(subject, writes);
  yield { what: writes.map(deed).join(', '), kind: 'engine', edits };
  yield* rewritten(subject, hint, edits);
}

/** Other arguments of a value that an engine refuses for several reasons. */
const mostReasons = 4;

/** The value once the engine has no more reason to refuse it: each reason names the nearest for itself. */
function* rewritten(
  { analysis, pipeline, body, again }: Subject,
  { key }: Hint,
  first: readonly (Edit | undefined)[],
): Generator<Candidate, void, void> {
  const before = valueOf(body, key);
  let edits = first.filter((edit) => edit !== undefined);
  let { text } = analysis.syntax;
  for (let reasons = 1; before !== undefined && reasons <= mostReasons; reasons += 1) {
    text = apply(text, edits);
    const after = subjectOf(again(text), pipeline, again);
    const value = after && valueOf(after.body, key);
    if (after === undefined || value === undefined) return;
    const left = after.analysis.findings.find(
      ({ code, hint }) => code === 'engine/unsupported' && isAt(hint, pipeline, key),
    );
    if (left?.hint?.kind === 'engine') {
      edits = editsOf(after, left.hint.writes).filter((edit) => edit !== undefined);
      continue;
    }
    const written = text.slice(value.start, value.end);
    if (reasons > 1)
      yield {
        what: `Set ${key} = ${written}`,
        kind: 'engine',
        edits: [{ start: before.start, end: before.end, text: written }],
      };
    return;
  }
}

const isAt = (hint: FixHint | undefined, pipeline: string, key: string): boolean =>
  hint?.kind === 'engine' && hint.pipeline === pipeline && hint.key === key;

const deed = (write: Write, index: number): string => {
  const words = write.value === undefined ? `remove \`${write.key}\`` : `set ${writeText(write).replaceAll('`', '')}`;
  return index === 0 ? words[0].toUpperCase() + words.slice(1) : words;
};

/** One edit for each key: arguments of one call are written together. */
function editsOf(subject: Subject, writes: readonly Write[]): readonly (Edit | undefined)[] {
  const ofModel = writes.filter(({ block }) => block === 'model');
  const ofPipeline = writes.filter(({ block }) => block === undefined);
  return [
    ...ofModel.flatMap((write) => modelEdits(subject, write)),
    ...[...new Set(ofPipeline.map(({ key }) => key))].map((key) => {
      const own = ofPipeline.filter((write) => write.key === key);
      const [first] = own;
      return first.argument === undefined ? keyEdit(subject, first) : argumentsEdit(subject, key, own);
    }),
  ];
}

function keyEdit({ analysis, body }: Subject, { key, value }: Write): Edit | undefined {
  const { syntax } = analysis;
  const written = key === 'sequence_parallel' ? sequenceKey(body) : key;
  const entry = entriesOf(body, written)[0];
  if (value !== undefined) return setKey(syntax.text, body, written, value);
  return entry === undefined ? undefined : withoutNode(syntax, entry);
}

function argumentsEdit({ analysis, body }: Subject, key: string, writes: readonly Write[]): Edit | undefined {
  const call = callableOf(valueOf(body, key));
  if (call === undefined) return undefined;
  const name = call.kind === 'call' ? call.callee.text : call.text;
  const policy = findPolicy(name);
  const parameters = key === 'optimizer' ? findOptimizer(name)?.parameters : policy && parametersOf(policy);
  const wanted = Object.fromEntries(writes.map(({ argument = '', value }) => [argument, value]));
  if (!Object.keys(wanted).every((argument) => parameters?.some((parameter) => parameter.name === argument)))
    return undefined;
  return withArguments(
    analysis.syntax.text,
    call,
    wanted,
    (argument, at) => argument.name?.text ?? parameters?.[at]?.name,
  );
}
