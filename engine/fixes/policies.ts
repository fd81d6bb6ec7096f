import { table } from '../basics/table.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import { evaluationSize } from '../schedule/evaluation.ts';
import { type PipelinePlan, setsWork } from '../values/plan.ts';
import { limitNames, lostLimit } from '../policies/lostLimit.ts';
import { parametersOf } from '../policies/parameters.ts';
import type { Policy, PolicyArguments } from '../policies/policy.ts';
import { findPolicy, policies } from '../policies/registry.ts';
import { mayRun } from '../engines/registry.ts';
import { count } from '../basics/quantities.ts';
import { cutStages } from '../costs/stages.ts';
import { setNumber, type Subject } from './candidates.ts';
import type { Edit } from './proposal.ts';
import { followsDevices, recut, stagesArgument } from './recut.ts';
import { entriesOf, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Arguments to try, where a policy has them. */
const variants: Readonly<Record<string, readonly number[]>> = table({
  chunks: [2, 3, 4, 5, 6, 8],
  waves: [1, 2],
  segments: [2, 4],
});

/** Policies that idle little come first, for they are tried first. */
const byPace = ['zb_h1', 'zb_v', 'interleaved_1f1b', 'eager_1f1b', 'zb_h2', 'interleaved_zb', '1f1b_v', 'dualpipe_v'];
/** Policies that hold few microbatches come first. */
const byMemory = ['1f1b', 'zb_h1', 'seq1f1b', 'v_half', 'v_min', 'zb_v', '1f1b_v', 'bpipe', 'interleaved_1f1b'];

type Numbers = Readonly<Record<string, number>>;

/** A search for an order is tried up to this many steps only. */
const longestSearch = 4_000_000;

/** Update rule of a policy; only `flush` is synchronous. */
const ruleOf = (policy: Policy | undefined, args: PolicyArguments): string => policy?.weights?.(args) ?? 'flush';

function planRule({ schedule }: PipelinePlan): string {
  if (schedule.kind === 'policy') return ruleOf(findPolicy(schedule.name), schedule.args);
  return schedule.weights ?? 'flush';
}

/**
 * Other policies with suitable arguments, and the number of stages that they take. `rule`: only policies with this update rule.
 * Default: the rule of today's schedule, so that what is computed stays the same.
 */
export function* policyCandidates(
  subject: Pick<Subject, 'analysis' | 'plan' | 'body'>,
  first: 'time' | 'memory',
  rule: string = planRule(subject.plan),
): Generator<Candidate | undefined, void, void> {
  const { plan, body, analysis } = subject;
  const schedule = valueOf(body, 'schedule');
  const now = plan.schedule.kind === 'policy' ? findPolicy(plan.schedule.name) : undefined;
  if (schedule === undefined || now?.forwardOnly === true || now?.loading !== undefined) return;
  if (setsWork(plan.schedule)) return;
  const ranks = plan.devices.length;
  const layers = cutStages(plan).reduce((sum, stage) => sum + stage.plan.layers.length, 0);
  for (const policy of inOrder(first === 'time' ? byPace : byMemory)) {
    if (policy.forwardOnly === true || policy.loading !== undefined || policy.replicates === true) continue;
    if (!mayRun(plan.engines?.chosen, policy.name)) continue;
    // A sequence can be cut where layers have a shape; measured ones may have none.
    if (cutsSequence(policy) && plan.stages.every(({ forwardFlops }) => forwardFlops === 0)) continue;
    if (searchesLong(policy, plan)) continue;
    const all = argumentsOf(policy).filter(
      (args) => ruleOf(policy, args) === rule && policy.chunks(args) * ranks <= layers,
    );
    const uneven = (args: Numbers): number => Number(!divides(policy.chunks(args) * ranks, layers));
    for (const args of all.toSorted((a, b) => uneven(a) - uneven(b))) {
      const stages = policy.chunks(args) * ranks;
      const written = withArguments(policy.name, args, keptArguments(policy, schedule, analysis.syntax.text));
      const lost = lostLimit(plan.schedule, policy);
      if (written === analysis.syntax.text.slice(schedule.start, schedule.end)) continue;
      const isCutAgain = stages !== cutStages(plan).length;
      const cut = isCutAgain ? stageEdits(subject, stages) : [];
      const edits = [{ start: schedule.start, end: schedule.end, text: written }, ...cut];
      const again = isCutAgain ? `, ${count(layers, 'layer', 'layers')} cut again into ${stages} stages` : '';
      const change = {
        schedule: written,
        ...(isCutAgain ? { cut: { layers, stages } } : {}),
        ...(policy.copies !== undefined && !cutsSequence(policy) ? { copied: true as const } : {}),
        ...(cutsSequence(policy) ? { segmented: true as const } : {}),
        ...(lost === undefined ? {} : { without: lost }),
      };
      const without = lost === undefined ? '' : `, ${lost}`;
      yield { what: `Use ${written}${again}${without}`, kind: 'policy', edits, policy: change };
    }
  }
}

/** Whether stages get as many layers each, be it without an embedding and a head. */
const divides = (stages: number, layers: number): boolean => layers % stages === 0 || (layers - 2) % stages === 0;

const cutsSequence = ({ parameters }: Policy): boolean => parameters.some(({ name }) => name === 'segments');

const searched = ({ name }: Policy) => ({ kind: 'policy' as const, name, args: {} });

/** The policy searches for its order, and here that takes too long to be tried. */
export const searchesLong = (policy: Policy, plan: PipelinePlan): boolean =>
  policy.searches === true && evaluationSize({ ...plan, schedule: searched(policy) }) > longestSearch;

/** A policy with suitable arguments, as written, and the number of stages that it takes. */
export interface PolicyWriting {
  readonly text: string;
  readonly stages: number;
}

/**
 * How to write a policy for a plan: with the arguments that take the stages of its cut, otherwise with the first arguments that its
 * layers allow. `schedule`: the value of the key today, in `source`.
 */
export function policyWriting(
  policy: Policy,
  plan: PipelinePlan,
  schedule: Expression | undefined,
  source: string,
): PolicyWriting {
  const cut = cutStages(plan);
  const layers = cut.reduce((sum, stage) => sum + stage.plan.layers.length, 0);
  const needs = (args: Numbers) => policy.chunks(args) * plan.devices.length;
  const all = argumentsOf(policy);
  const args =
    all.find((candidate) => needs(candidate) === cut.length) ??
    all.find((candidate) => needs(candidate) <= layers) ??
    all[0];
  const kept = schedule === undefined ? [] : keptArguments(policy, schedule, source);
  return { text: withArguments(policy.name, args, kept), stages: needs(args) };
}

/** Whether a plan trains, and updates the weights once after every iteration. */
export function isSynchronous(plan: PipelinePlan): boolean {
  const policy = plan.schedule.kind === 'policy' ? findPolicy(plan.schedule.name) : undefined;
  return policy?.forwardOnly !== true && policy?.loading === undefined && planRule(plan) === 'flush';
}

function inOrder(first: readonly string[]): readonly Policy[] {
  const rank = ({ name }: Policy) => (first.includes(name) ? first.indexOf(name) : first.length);
  return policies.toSorted((a, b) => rank(a) - rank(b));
}

function argumentsOf(policy: Policy): readonly Numbers[] {
  const parameter = policy.parameters.find(({ name }) => variants[name] !== undefined);
  return parameter === undefined ? [{}] : variants[parameter.name].map((value) => ({ [parameter.name]: value }));
}

/** Arguments that say what the user wants of any order: when stages recompute, and how much a device may hold. */
const kept: readonly string[] = ['recompute', ...limitNames];

/** These arguments as they are written, where the other policy takes them. */
function keptArguments(policy: Policy, schedule: Expression, text: string): readonly string[] {
  if (schedule.kind !== 'call') return [];
  const now = findPolicy(schedule.callee.text);
  const positions = now === undefined ? [] : parametersOf(now);
  const taken = parametersOf(policy).map(({ name }) => name);
  return schedule.arguments.flatMap(({ name, value }, index) => {
    const parameter = name?.text ?? positions[index]?.name ?? '';
    return kept.includes(parameter) && taken.includes(parameter)
      ? [`${parameter} = ${text.slice(value.start, value.end)}`]
      : [];
  });
}

function withArguments(name: string, args: Numbers, kept: readonly string[]): string {
  const all = [...Object.entries(args).map(([key, value]) => `${key} = ${value}`), ...kept];
  return all.length === 0 ? name : `${name}(${all.join(', ')})`;
}

/** Another number of stages: in `balance(n)`, at the param that it names, or as a balanced cut in place of `split(…)` and plain blocks. */
function stageEdits(subject: Pick<Subject, 'analysis' | 'body'>, count: number): readonly (Edit | undefined)[] {
  const { analysis, body } = subject;
  if (followsDevices(valueOf(body, 'stages'))) return [];
  const edit = stageCount(subject, count);
  if (edit !== undefined) return [edit];
  if (entriesOf(body, 'stage').length === 0) return [undefined];
  const cut = recut(analysis.syntax, body, count);
  return 'refused' in cut ? [undefined] : cut.edits;
}

/** The one edit that gives `stages = balance(n)` or `stages = split(…)` another number of stages. */
export function stageCount(
  { analysis, body }: Pick<Subject, 'body'> & { readonly analysis: Pick<Analysis, 'syntax'> },
  count: number,
): Edit | undefined {
  const cut = valueOf(body, 'stages');
  if (cut?.kind !== 'call') return undefined;
  if (cut.callee.text === 'balance') return setNumber(analysis, stagesArgument(cut)?.value, count);
  const made = recut(analysis.syntax, body, count);
  return 'refused' in made ? undefined : made.edits[0];
}
