import type { Call, Expression } from '../../grammar/syntax.ts';
import { calleeOf } from '../language/callee.ts';
import { findEngine } from '../engines/registry.ts';
import { findOptimizer, isShard, shardsGradients, shardsWeights, type Shard } from '../costs/optimizer.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { callableOf, withArguments } from './callArguments.ts';
import type { Subject } from './candidates.ts';
import type { Edit } from './proposal.ts';
import { valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

/** Splits the optimizer's state over data ranks, its gradients too, or its weights too, if there are several ranks. */
export function* shardCandidates({ plan, body }: Subject): Generator<Candidate, void, void> {
  const optimizer = inner(valueOf(body, 'optimizer'));
  if (optimizer === undefined || plan.data * plan.context < 2) return;
  for (const shard of stronger(optimizer)) {
    yield shardCandidate(optimizer, shard, plan);
    if (keepsGathered(shard, plan)) yield shardCandidate(optimizer, shard, plan, true);
  }
}

/** Whether weights may stay gathered up to the last backward of a pipeline, as some engines keep them. */
const keepsGathered = (shard: Shard, { devices }: Subject['plan']): boolean =>
  devices.length > 1 && shardsWeights(shard);

function shardCandidate(optimizer: Expression, shard: Shard, plan: Subject['plan'], keeps = false): Candidate {
  const kept = keeps ? ', gathered once an update' : '';
  return {
    what: `Shard ${what(shard)} over ${ranks(optimizer, plan)}${kept}`,
    withOtherRanks: `Shard ${what(shard)} over ${plan.context > 1 ? 'data and context' : 'data'} ranks${kept}`,
    kind: 'shard',
    edits: [editFor(optimizer, shard, keeps)],
  };
}

/** The shard that people train with: of the state alone next to a pipeline, of everything without one, or as the engine has it. */
export function usualShardCandidate({ plan, body }: Subject): Candidate | undefined {
  const optimizer = inner(valueOf(body, 'optimizer'));
  if (optimizer === undefined || plan.data * plan.context < 2) return undefined;
  const [least, ...others] = stronger(optimizer);
  const engine = findEngine(plan.engines?.chosen ?? '')?.shards?.[0].shard;
  const ofEngine = stronger(optimizer).find((shard) => engine !== undefined && strength(shard) === strength(engine));
  if (engine !== undefined && ofEngine === undefined) return undefined;
  const most = others.at(-1) ?? least;
  const shard = ofEngine ?? (plan.devices.length > 1 || isMegatron(optimizer) ? least : most);
  // Few split gradients and keep weights whole.
  return shard === undefined || (strength(shard) === 2 && engine === undefined)
    ? undefined
    : shardCandidate(optimizer, shard, plan, ofEngine !== undefined && isKeptBy(plan) && keepsGathered(shard, plan));
}

/** Whether the engine of a file keeps gathered weights in a pipeline. */
const isKeptBy = ({ engines }: Subject['plan']): boolean =>
  findEngine(engines?.chosen ?? '')?.shards?.some(({ reshard }) => reshard === 'false') === true;

const isMegatron = (optimizer: Expression): boolean => calleeOf(optimizer)?.text.startsWith('megatron') === true;

/** Weights that stay whole between microbatches move once for an update: only the state is split, or gathered weights are kept. */
export function* wholeWeightsCandidates({ analysis, plan, body }: Subject): Generator<Candidate, void, void> {
  const optimizer = callableOf(inner(valueOf(body, 'optimizer')));
  if (optimizer?.kind !== 'call' || plan.data * plan.context < 2) return;
  const shard = argument(optimizer, 'shard')?.value;
  if (shard?.kind !== 'name' || !isShard(shard.text) || !shardsWeights(shard.text)) return;
  const parameters = findOptimizer(optimizer.callee.text)?.parameters ?? [];
  const write = (wanted: Readonly<Record<string, string | undefined>>): Edit =>
    withArguments(analysis.syntax.text, optimizer, wanted, ({ name }, index) => name?.text ?? parameters[index]?.name);
  const dropped = (...names: readonly string[]): Readonly<Record<string, undefined>> =>
    Object.fromEntries(names.flatMap((name) => (argument(optimizer, name) === undefined ? [] : [[name, undefined]])));
  const state = optimizer.callee.text.startsWith('megatron') ? 'distributed' : 'zero1';
  // Only sharded weights are gathered again.
  yield {
    what: 'Shard only the state of the optimizer',
    kind: 'whole weights',
    edits: [write({ shard: state, ...dropped('reshard', 'prefetch', 'gradient_sync') })],
  };
  yield {
    what: 'Keep gathered weights until the update',
    kind: 'whole weights',
    edits: [write({ reshard: 'false', ...dropped('prefetch', 'gradient_sync') })],
  };
  // Without pipelines libraries gather for each microbatch, and may still exchange gradients once.
  const keepsWeights = argument(optimizer, 'reshard')?.value;
  if (plan.microbatches > 1 && !(keepsWeights?.kind === 'name' && keepsWeights.text === 'false'))
    yield {
      what: 'Exchange gradients once an iteration',
      kind: 'whole gradients',
      edits: [write({ gradient_sync: 'last' })],
    };
}

/** Devices of a node, in which the weights of a layer are gathered. */
const nodeSizes = [8, 4, 16];

/** Groups of ranks keep copies of all weights, so that gathers stay on the links of a node (hybrid sharding). */
export function* groupedShardCandidates({ analysis, plan, body }: Subject): Generator<Candidate, void, void> {
  const optimizer = callableOf(inner(valueOf(body, 'optimizer')));
  const count = plan.data * plan.context;
  if (optimizer?.kind !== 'call') return;
  const shard = argument(optimizer, 'shard')?.value;
  if (shard?.kind !== 'name' || !isShard(shard.text) || !shardsWeights(shard.text)) return;
  if (argument(optimizer, 'over') !== undefined) return;
  const parameters = findOptimizer(optimizer.callee.text)?.parameters ?? [];
  for (const size of nodeSizes) {
    const over = size / plan.tensor;
    if (!Number.isInteger(over) || over < 2 || over >= count || count % over !== 0) continue;
    const name = ({ name: written }: { readonly name?: { readonly text: string } }, at: number) =>
      written?.text ?? parameters[at]?.name;
    yield {
      what: `Shard over groups of ${over} ranks`,
      kind: 'groups',
      edits: [withArguments(analysis.syntax.text, optimizer, { over: String(over) }, name)],
    };
  }
}

const inner = (value: Expression | undefined): Expression | undefined =>
  value?.kind === 'group' ? inner(value.inner) : value;

/** Shards that split more than the one that is written, in the words of who makes the recipe. */
function stronger(optimizer: Expression): readonly Shard[] {
  const name = calleeOf(optimizer)?.text ?? '';
  const parameters = findOptimizer(name)?.parameters ?? [];
  if (!parameters.some((parameter) => parameter.name === 'shard')) return [];
  const written = optimizer.kind === 'call' ? argument(optimizer, 'shard')?.value : undefined;
  const now = written?.kind === 'name' && isShard(written.text) ? written.text : 'none';
  const all: readonly Shard[] = isMegatron(optimizer) ? ['distributed', 'zero2', 'fsdp'] : ['zero1', 'zero2', 'zero3'];
  return all.filter((text) => strength(text) > strength(now));
}

/** The optimizer with this shard; undefined if its recipe has none. */
export function optimizerSharded(optimizer: Expression, shard: Shard): Edit | undefined {
  const recipe = inner(optimizer);
  const name = recipe === undefined ? undefined : calleeOf(recipe)?.text;
  const parameters = name === undefined ? undefined : findOptimizer(name)?.parameters;
  if (recipe === undefined || parameters?.some((parameter) => parameter.name === 'shard') !== true) return undefined;
  return editFor(recipe, shard);
}

/** The optimizer with its state, its gradients and the weights split. */
export const mostSharded = (optimizer: Expression): Edit | undefined =>
  optimizerSharded(optimizer, isMegatron(inner(optimizer) ?? optimizer) ? 'fsdp' : 'zero3');

const strength = (shard: Shard): number =>
  shard === 'none' ? 0 : shardsWeights(shard) ? 3 : shardsGradients(shard) ? 2 : 1;

const what = (shard: Shard): string =>
  shardsWeights(shard)
    ? 'optimizer, gradients and weights'
    : shardsGradients(shard)
      ? 'optimizer and gradients'
      : 'the optimizer';

const ranks = (optimizer: Expression, { data, context }: Pick<PipelinePlan, 'data' | 'context'>): string =>
  optimizer.kind === 'call' && argument(optimizer, 'over') !== undefined
    ? 'groups of data ranks'
    : `${data * context} ${context > 1 ? 'data and context' : 'data'} ranks`;

/** An argument by its name, or at the place of its parameter. */
function argument(call: Call, name: string) {
  const at = findOptimizer(call.callee.text)?.parameters.findIndex((parameter) => parameter.name === name) ?? -1;
  return call.arguments.find((candidate, index) =>
    candidate.name === undefined ? index === at : candidate.name.text === name,
  );
}

function editFor(optimizer: Expression, shard: Shard, keeps = false): Edit | undefined {
  const kept = keeps ? ', reshard = false' : '';
  if (optimizer.kind !== 'call') return { start: optimizer.end, end: optimizer.end, text: `(shard = ${shard}${kept})` };
  if (keeps && argument(optimizer, 'reshard') !== undefined) return undefined;
  const written = argument(optimizer, 'shard')?.value;
  if (written !== undefined) return { start: written.start, end: written.end, text: `${shard}${kept}` };
  const last = optimizer.arguments.at(-1);
  const at = last?.end ?? optimizer.end - 1;
  return { start: at, end: at, text: `${last === undefined ? '' : ', '}shard = ${shard}${kept}` };
}
