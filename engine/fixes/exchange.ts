/** Fixes of findings about rules of exchange: other arguments, another rule, more servers, another collective. */
import type { Argument } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import { collectives, findCollective } from '../exchange/collectives.ts';
import { exchangePresets, findPreset, inOrder } from '../exchange/presets.ts';
import type { CallLimit, ExchangePlan } from '../values/exchangePlan.ts';
import type { Code } from '../findings/catalogue.ts';
import { type Finding, type FixHint, parametersOf } from '../findings/finding.ts';
import { inTurn, type Subject, subjectOf, trialsFor } from './candidates.ts';
import { callableOf, withArguments } from './callArguments.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import type { Simulated } from './outcome.ts';
import type { Again, Edit, FixSteps, Proposal } from './proposal.ts';
import { remains } from './remains.ts';
import { setKey, valueOf } from './source.ts';
import { type Candidate, fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;
type Wanted = Readonly<Record<string, string>>;

/** Codes of findings about a rule. */
const causeCodes = [
  'comm/fifo-blocks-front-layer',
  'comm/barrier',
  'comm/bucket-too-small',
  'comm/bucket-too-large',
  'comm/credit-too-large',
  'comm/credit-too-small',
] as const satisfies readonly Code[];
type CauseCode = (typeof causeCodes)[number];

/** Arguments to try, by what a device waits for. */
const argumentsFor: Readonly<Record<CauseCode, readonly Wanted[]>> = {
  'comm/fifo-blocks-front-layer': [
    { order: 'forward', partition: 'best', barrier: 'false' },
    { order: 'forward', partition: 'best', credit: 'best', barrier: 'false' },
    { order: 'forward', barrier: 'false' },
  ],
  'comm/barrier': [{ barrier: 'false' }, { partition: 'best', barrier: 'false' }],
  'comm/bucket-too-small': [{ bucket: 'best' }, { partition: 'best' }],
  'comm/bucket-too-large': [{ bucket: 'best' }, { bucket: '0 B' }],
  'comm/credit-too-large': [{ credit: 'best' }, { partition: 'best' }, { partition: 'best', credit: 'best' }],
  'comm/credit-too-small': [{ credit: 'best' }, { partition: 'best', credit: 'best' }],
};

/** Codes of findings that another collective may answer. */
const ofCalls: readonly Code[] = ['comm/bucket-too-small', 'comm/server-bottleneck', 'comm/slow-fabric'];

/** A change must save at least this share of the time per sample. */
const leastGain = 0.005;

/** Each removes the finding or lessens it, and makes the iteration shorter. */
export function* exchangeFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const exchange = subject?.plan.exchange;
  if (subject === undefined || exchange === undefined) return [];
  const pace = samplePeriod(figuresOf(subject.before.run.report));
  const faster = (after: Simulated): boolean => relative(pace, samplePeriod(figuresOf(after.run.report))) < -leastGain;
  const limit = exchange.lanes.flatMap(({ calls }) => calls.flatMap((call) => call.limit ?? [])).at(0);
  const candidates = inTurn(
    trialsFor(subject.plan),
    argumentCandidates(subject, exchange, finding.code),
    limit === undefined ? [] : limitCandidates(subject, limit),
    finding.code === 'comm/server-bottleneck' ? hybridCandidate(subject, exchange) : [],
    ofCalls.includes(finding.code) ? collectiveCandidates(subject) : [],
  );
  const goal = { pipeline, emphasis: 'time' } as const;
  const lessens = (changed: Analysis, after: Simulated): boolean =>
    faster(after) &&
    usesItsRule(after) &&
    (!remains(changed, finding) || secondsIn(changed, finding, pipeline) < secondsOf(finding));
  const changes = yield* fixesAmong(analysis, { ...goal, met: lessens }, candidates, again);
  const removes = (changed: Analysis, after: Simulated): boolean => faster(after) && !remains(changed, finding);
  const rules = yield* fixesAmong(
    analysis,
    { ...goal, met: removes },
    inTurn(trialsFor(subject.plan), ruleCandidates(subject, exchange)),
    again,
  );
  return merged(changes, rules);
}

/** By their effect. Another rule is named where no change of this one does as well. */
function merged(changes: readonly Proposal[], rules: readonly Proposal[]): readonly Proposal[] {
  const pace = ({ effect }: Proposal): number => (effect === undefined ? Infinity : samplePeriod(effect.after));
  const same = (a: Proposal, b: Proposal): boolean => Math.abs(pace(a) - pace(b)) <= 1e-9 * pace(b);
  const better = rules.filter((rule) => !changes.some((change) => same(change, rule)));
  const breaks = (each: Proposal): number => Math.min(1, each.breaks?.length ?? 0);
  const sorted = [...changes, ...better].toSorted(
    (a, b) => breaks(a) - breaks(b) || (same(a, b) ? 0 : pace(a) - pace(b)),
  );
  // What no library has is not the first of several.
  const first = sorted.find((each) => each.runners?.length !== 0 && breaks(each) === breaks(sorted[0])) ?? sorted.at(0);
  const all = sorted.toSorted((a, b) => Number(b === first) - Number(a === first));
  return all.map((each, index) => ({ ...each, preferred: index === 0 && breaks(each) === 0 }));
}

/** Seconds that a finding is about. */
function secondsOf(finding: Pick<Finding, 'code' | 'parameters'>): number {
  for (const code of [...causeCodes, 'comm/server-bottleneck', 'comm/slow-fabric'] as const) {
    const parameters = parametersOf(finding, code);
    if (parameters !== undefined) return parameters.seconds;
  }
  return 0;
}

function secondsIn({ findings }: Analysis, { code }: Finding, pipeline: string): number {
  const same = findings.find(
    (found) => found.code === code && found.hint?.kind === 'tune' && found.hint.pipeline === pipeline,
  );
  return same === undefined ? 0 : secondsOf(same);
}

/** The rule stays, with other arguments. */
function* argumentCandidates(
  { analysis, body }: Subject,
  { rule }: ExchangePlan,
  code: Code,
): Generator<Candidate, void, void> {
  const callable = callableOf(valueOf(body, 'sync'));
  const cause = causeCodes.find((known) => known === code);
  const preset = findPreset(rule.name);
  if (callable === undefined || cause === undefined || preset === undefined) return;
  const names = inOrder(preset).map(({ name }) => name);
  const nameOf = ({ name }: Argument, index: number): string | undefined => {
    const said = name?.text ?? names.at(index);
    // A slice is a partition in other words.
    return said === 'slice' ? 'partition' : said;
  };
  for (const wanted of argumentsFor[cause]) {
    const { barrier, ...others } = wanted;
    const needed = rule.barrier || barrier === undefined ? wanted : others;
    // `best` chooses the first bucket too.
    const without = wanted['bucket'] === undefined ? {} : { first: undefined };
    yield {
      what: `Set ${Object.entries(needed)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ')}`,
      kind: 'arguments',
      edits: [withArguments(analysis.syntax.text, callable, { ...needed, ...without }, nameOf)],
    };
  }
}

/** Another rule, as it is published. */
function* ruleCandidates({ analysis, body, plan }: Subject, { rule }: ExchangePlan): Generator<Candidate, void, void> {
  const servers = callableOf(valueOf(body, 'collective'));
  const viaServers = servers !== undefined && calleeOf(servers) === 'ps';
  if (plan.data * plan.context < 2) return;
  for (const { name, collective } of exchangePresets) {
    if (name === 'overlap' || name === rule.name || (collective !== undefined && !viaServers)) continue;
    yield {
      what: `Use ${name}`,
      kind: 'rule',
      edits: [setKey(analysis.syntax.text, body, 'sync', name)],
    };
  }
}

/** Without a layer whose factors are fewer bytes, `hybrid` is nothing but another order. */
const usesItsRule = ({ plan: { exchange } }: Simulated): boolean =>
  exchange?.rule.name !== 'hybrid' || exchange.lanes.some(({ calls }) => calls.some(({ name }) => name === 'sfb'));

/** Fully connected layers go past the servers where factors are fewer bytes. The servers may still be full, and less so. */
function* hybridCandidate({ analysis, body }: Subject, { rule }: ExchangePlan): Generator<Candidate, void, void> {
  if (rule.name === 'hybrid') return;
  yield { what: 'Use hybrid', kind: 'rule', edits: [setKey(analysis.syntax.text, body, 'sync', 'hybrid')] };
}

/** What the file needs to have enough servers, or to spare the slow links. */
function* limitCandidates(subject: Subject, limit: CallLimit): Generator<Candidate, void, void> {
  if (limit.kind === 'links') {
    yield collectiveCandidate(subject, limit.collective);
    return;
  }
  const callable = callableOf(valueOf(subject.body, 'collective'));
  if (callable === undefined) return;
  const text = subject.analysis.syntax.text;
  const edit = withArguments(text, callable, { servers: String(limit.enough) }, nameIn('ps'));
  yield { what: `Use ${limit.enough} servers`, kind: 'servers', edits: [edit] };
}

/** Collectives that need nothing but ranks and links. A library runs one of them, so `best` is not offered. */
function* collectiveCandidates(subject: Subject): Generator<Candidate, void, void> {
  for (const { name } of collectives)
    if (!['ps', 'table', 'nccl', 'best'].includes(name)) yield collectiveCandidate(subject, name);
}

/** Another collective; the time of a call stays. */
function collectiveCandidate({ analysis, body }: Subject, name: string): Candidate {
  const callable = callableOf(valueOf(body, 'collective'));
  return {
    what: `Use the collective ${name}`,
    kind: 'collective',
    edits: [
      callable === undefined
        ? setKey(analysis.syntax.text, body, 'collective', name)
        : renamed(analysis.syntax.text, callable, name),
    ],
  };
}

const calleeOf = (callable: NonNullable<ReturnType<typeof callableOf>>): string =>
  callable.kind === 'call' ? callable.callee.text : callable.text;

const nameIn =
  (collective: string) =>
  ({ name }: Argument, index: number): string | undefined =>
    name?.text ?? findCollective(collective)?.parameters.at(index)?.name;

function renamed(text: string, callable: NonNullable<ReturnType<typeof callableOf>>, name: string): Edit {
  const parameters = findCollective(calleeOf(callable))?.parameters ?? [];
  const dropped = Object.fromEntries(
    parameters.filter((parameter) => parameter.name !== 'call').map((parameter) => [parameter.name, undefined]),
  );
  return withArguments(text, callable, dropped, nameIn(calleeOf(callable)), name);
}
