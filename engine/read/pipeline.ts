/** Reads a `pipeline`: what it refers to, then the cut, devices, costs, routes and schedule of its plan. */
import type { Cut, PlanCut } from '../definitions/cut.ts';
import { bucketBytes, onlyBuckets, type SyncUse } from '../definitions/exchange.ts';
import type { OptimizerUse } from '../definitions/optimizer.ts';
import { reducesEach, scattersEach, shardsWeights } from '../costs/optimizer.ts';
import type { CollectiveUse } from '../exchange/collectives.ts';
import { hasBarrier } from '../exchange/rule.ts';
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { hasExperts, type ModelDefinition } from '../definitions/model.ts';
import type { MicrobatchLengths, RankOrder, PipelineDefinition } from '../definitions/pipeline.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import { type Mesh, lone } from '../costs/mesh.ts';
import type { BlockDeclaration, Entry, Expression, Span } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { groupNames } from '../costs/types.ts';
import { evaluate } from '../language/expressions.ts';
import {
  notApplicable,
  or,
  type Read,
  readKeys,
  readQuantity,
  readWord,
  valueOf,
  type Keys,
  quantityOrDefault,
  wordOrDefault,
} from '../language/keys.ts';
import { paths } from '../values/plan.ts';
import { share } from '../basics/quantities.ts';
import { describe } from '../language/values.ts';
import { readCut } from './cut.ts';
import { readMicrobatches } from './globalBatch.ts';
import type { StagePlaces } from './stageCount.ts';
import { readFill } from './fill.ts';
import { readLengths, readTotalTokens } from './lengths.ts';
import { cutsItself, groupsCut, keysThatCount } from './groupsCut.ts';
import { hintOptimizer, readOptimizer } from './optimizer.ts';
import { readOffload } from './offload.ts';
import { readMeasured } from './measured.ts';
import { readMesh, sequenceKey } from './mesh.ts';
import { readOverlap } from './overlap.ts';
import { readRecompute } from './recompute.ts';
import { argumentsTried, readScheduleUse } from './scheduleUse.ts';
import { readCollective } from './collective.ts';
import { inIslands, type LocalRead } from './local.ts';
import { readSync } from './sync.ts';
import { readTransfer } from './transfer.ts';
import { readVariation } from './variation.ts';

/**
 * All that the block says; `undefined` where anything of it is wrong, which has been reported. `overrides`: numbers of arguments of
 * its schedule that are tried instead, as `PIPELINE.PARAMETER`.
 */
export function readPipeline(
  context: ReadContext,
  block: BlockDeclaration,
  overrides: Readonly<Record<string, number>> = {},
): PipelineDefinition | undefined {
  const before = context.report.errors();
  const definition = readBlock(context, block, overrides);
  return context.report.errors() === before ? definition : undefined;
}

function readBlock(
  context: ReadContext,
  block: BlockDeclaration,
  overrides: Readonly<Record<string, number>>,
): PipelineDefinition | undefined {
  const name = block.name ?? block.keyword;
  const has = (...keys: readonly string[]): boolean =>
    block.body?.entries.some((entry) => entry.kind === 'entry' && keys.includes(entry.key.text)) === true;
  const given = has('global_batch') ? ['microbatches'] : [];
  // Some schedules group the layers themselves.
  const wanted = has('stage', 'schedule') ? [] : ['stages'];
  const written = readKeys(context, 'pipeline', block.body, name, given, wanted);
  const scheduleValue = valueOf(written.find('schedule'));
  const use =
    scheduleValue === undefined
      ? undefined
      : readScheduleUse(context, scheduleValue, argumentsTried(block.name?.text ?? '', overrides));
  const keys = cutsItself(use) ? keysThatCount(context, written) : written;
  const model = readDefinition(context, keys, 'model', context.models);
  const cluster = readDefinition(context, keys, 'devices', context.clusters)?.();
  const iterationsRead = readQuantity(context, keys, 'iterations');
  const mesh = readMesh(context, keys, lone, model);
  const microbatches = readMicrobatches(context, keys, model, mesh);
  const tokens = readTotalTokens(context, keys);
  const rankOrder = wordOrDefault<RankOrder>(context, keys, 'rank_order');
  const place = wordOrDefault<'best' | 'by_number'>(context, keys, 'place');
  const overlap = readOverlap(context, keys);
  const recompute = or(readRecompute(context, keys), 'none');
  const optimizerValue = valueOf(keys.find('optimizer'));
  const optimizer = optimizerValue === undefined ? undefined : readOptimizer(context, optimizerValue);
  const transferValue = valueOf(keys.find('transfer'));
  const transfer = transferValue === undefined ? {} : readTransfer(context, transferValue);
  const syncValue = valueOf(keys.find('sync'));
  const { sync, local } = readExchange(context, syncValue);
  const collectiveValue = valueOf(keys.find('collective'));
  const collective = collectiveValue === undefined ? 'usual' : readCollective(context, collectiveValue);
  const fill = readFill(context, keys);
  const offload = readOffload(context, keys);
  const variation = readVariation(context, keys);
  const engine = readWord<string>(context, keys, 'engine');
  const measured = readMeasured(context, keys);
  const messageOverhead = quantityOrDefault(context, keys, 'message_overhead');
  const cut =
    model === undefined
      ? undefined
      : cutsItself(use)
        ? groupsCut(model)
        : readCut(context, keys, model, mesh ?? lone, name, placesOf(use, cluster, mesh));
  if (block.name !== undefined) origins(context, block.name.text, written, name);
  if (optimizer !== undefined && optimizerValue !== undefined)
    hintOptimizer(context, optimizer, optimizerValue, model?.precision ?? 'bf16');
  if (keys.find('optimizer') !== undefined && optimizer === undefined) return undefined;
  if (block.name === undefined || keys.doubtful || isDuplicate(context, block)) return undefined;
  if (model === undefined || cluster === undefined || use === undefined || cut === undefined) return undefined;
  const lengths: Read<MicrobatchLengths> =
    microbatches.is === 'value' ? readLengths(context, keys, microbatches.value, model) : { is: 'absent' };
  if (lengths.is === 'wrong') return undefined;
  if (iterationsRead.is === 'wrong' || tokens.is === 'wrong' || fill === 'wrong') return undefined;
  if (offload === 'wrong' || variation === undefined || engine.is === 'wrong' || measured === 'wrong') return undefined;
  if (tokens.is === 'value' && model.sequence === undefined)
    withoutEffect(
      context,
      keys,
      'tokens',
      `model "${model.name}" has no "sequence", which says how many tokens a sample has`,
    );
  const asynchronous = rule(use) !== 'flush';
  if (iterationsRead.is === 'value' && !asynchronous)
    withoutEffect(
      context,
      keys,
      'iterations',
      'a synchronous schedule ends every iteration before the next begins, so all iterations are equal',
    );
  if (microbatches.is !== 'value' || mesh === undefined || rankOrder === undefined || place === undefined)
    return undefined;
  if (
    messageOverhead === undefined ||
    overlap === undefined ||
    recompute === undefined ||
    transfer === undefined ||
    sync === undefined
  )
    return undefined;
  if (collective === undefined) return undefined;
  if (asynchronous)
    for (const key of sync === 'end' ? ['collective'] : ['sync', 'collective'])
      withoutEffect(context, keys, key, 'an asynchronous schedule exchanges gradients in each update of a stage');
  if (typeof sync === 'object' && optimizer?.clip === true && !hasBarrier(sync.preset, sync.written)) {
    context.report.report('value/range', sync.at.get('barrier') ?? syncValue ?? name, {
      what: sync.at.has('barrier') ? '"barrier"' : `"barrier" of ${sync.preset.name}`,
      value: 'false',
      allowed: 'true: with `clip = true` no layer steps before all gradients are there',
    });
    return undefined;
  }
  if (asynchronous && optimizer?.offload !== undefined) {
    context.report.report('value/range', optimizer.at.get('offload') ?? name, {
      what: '"offload"',
      value: share(optimizer.offload.share),
      allowed: '0 % under an asynchronous schedule, whose stages update their weights between microbatches',
    });
    return undefined;
  }
  const isOpen = typeof sync === 'object' && !onlyBuckets(sync) && !hasBarrier(sync.preset, sync.written);
  const ranks =
    local === undefined || asynchronous
      ? mesh
      : islandsOf(context, { mesh, cut, at: syncValue ?? name }, local, optimizer);
  if (ranks === undefined) return undefined;
  if (asynchronous || isOpen)
    withoutEffect(
      context,
      keys,
      'jitter',
      `${asynchronous ? 'under an asynchronous schedule' : 'without a barrier'} iterations run into each other, so no draw is a separate iteration`,
    );
  reportIdleKeys(context, keys, mesh, model, cut);
  if (recompute === 'selective' && model.layers.every((layer) => layer.cost.kind === 'measured'))
    withoutEffect(context, keys, 'recompute', 'selective recomputation needs layers with a shape');
  return {
    name: block.name.text,
    doc: block.doc,
    model,
    cluster,
    use,
    cut,
    microbatches: microbatches.value,
    ...(tokens.is === 'value' ? { tokens: tokens.value } : {}),
    ...(lengths.is === 'value' ? { lengths: lengths.value } : {}),
    iterations: !asynchronous ? 1 : iterationsRead.is === 'value' ? iterationsRead.value : 'steady',
    mesh: ranks,
    rankOrder,
    ...(place === 'best' ? { place } : {}),
    overlap,
    recompute,
    optimizer,
    ...(offload === undefined ? {} : { offload }),
    transfer,
    messageOverhead,
    ...(asynchronous ? {} : exchangeOf(syncValue === undefined ? usualSync(optimizer) : sync, collective)),
    ...(local === undefined || asynchronous ? {} : { local: local.use }),
    ...(fill === undefined ? {} : { fill }),
    variation,
    ...(engine.is === 'value' ? { engine: engine.value } : {}),
    ...(measured === undefined ? {} : { measured }),
    at: (key: string) =>
      valueOf(entryOf(keys, key)) ?? (key === 'microbatches' ? valueOf(keys.find('global_batch')) : undefined) ?? name,
  };
}

/** The entry of `tensor`, or of `overlap(tensor)`, a key that a block may have several times. */
function entryOf(keys: Keys, key: string): Entry | undefined {
  const [name, of] = key.split(/[()]/);
  if (of === undefined) return keys.find(name);
  return keys.all(name).find(({ parameters: [first] = [] }) => first?.kind === 'name' && first.text === of);
}

const placesOf = (
  use: ScheduleUse | undefined,
  cluster: ClusterDefinition | undefined,
  mesh: Mesh | undefined,
): StagePlaces | undefined =>
  use === undefined || cluster === undefined || mesh === undefined ? undefined : { use, cluster, mesh };

/**
 * FSDP reduces the parts of a layer among its groups (hybrid sharding) as soon as they are scattered, during the backward of the layers before it.
 * So it does with whole gradients that it scatters in the last backward.
 * (PyTorch 2, torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py: foreach_reduce).
 */
const usualSync = (optimizer: OptimizerUse | undefined): 'end' | 'parts' =>
  optimizer !== undefined &&
  shardsWeights(optimizer.shard) &&
  optimizer.reshard &&
  !reducesEach(optimizer) &&
  (optimizer.over !== undefined || !scattersEach(optimizer))
    ? 'parts'
    : 'end';

/** Buckets and nothing more are exchanged as ever. */
function exchangeOf(
  sync: SyncUse | 'end' | 'parts',
  collective: CollectiveUse | 'usual',
): Pick<PipelineDefinition, 'sync' | 'exchange'> {
  if (sync === 'parts')
    return { sync: { bucket: 0, usual: true }, ...(collective === 'usual' ? {} : { exchange: { collective } }) };
  if (collective === 'usual' && sync === 'end') return {};
  if (collective === 'usual' && sync !== 'end' && onlyBuckets(sync)) return { sync: { bucket: bucketBytes(sync) } };
  return {
    exchange: { ...(sync === 'end' ? {} : { sync }), ...(collective === 'usual' ? {} : { collective }) },
  };
}

const rule = (use: ScheduleUse): string =>
  use.kind === 'policy' ? (use.policy.weights?.(use.args) ?? 'flush') : use.definition.weights;

/** Inside an island each layer is exchanged after its last backward. */
function readExchange(
  context: ReadContext,
  value: Expression | undefined,
): { readonly sync: SyncUse | 'end' | 'parts' | undefined; readonly local?: LocalRead } {
  const said = value === undefined ? 'end' : readSync(context, value);
  return typeof said === 'object' && 'use' in said ? { sync: 'parts', local: said } : { sync: said };
}

/** The mesh with its data ranks in islands; `undefined` where that cannot be (reported). */
function islandsOf(
  context: ReadContext,
  { mesh, cut, at }: { readonly mesh: Mesh; readonly cut: Cut | PlanCut; readonly at: Span },
  local: LocalRead,
  optimizer: OptimizerUse | undefined,
): Mesh | undefined {
  if (!ownRanks(cut)) return inIslands(context, mesh, local, optimizer);
  context.report.report('value/range', at, {
    what: '"sync"',
    value: 'local',
    allowed: 'a rule such as `overlap` if stages say their ranks: islands divide the data ranks of all stages alike',
  });
  return undefined;
}

/** Whether stages have ranks or replicas that are not the pipeline's. */
const ownRanks = (cut: Cut | PlanCut): boolean =>
  cut.kind === 'plan' ||
  cut.kind === 'groups' ||
  (cut.kind === 'blocks' && cut.stages.some(({ mesh, replicate }) => mesh !== undefined || replicate !== undefined));

/** Keys of a mesh that change nothing. */
function reportIdleKeys(
  context: ReadContext,
  keys: Keys,
  mesh: Mesh,
  model: ModelDefinition,
  cut: Cut | PlanCut,
): void {
  const { tensor, expert, sequenceParallel } = mesh;
  const ownMeshes = cut.kind === 'blocks' && cut.stages.some((stage) => stage.mesh !== undefined);
  if (tensor === 1 && sequenceParallel && !ownMeshes)
    withoutEffect(context, keys, sequenceKey(context, keys), 'the pipeline has no tensor ranks');
  if (mesh.context === 1 && !ownMeshes)
    withoutEffect(context, keys, 'context_exchange', 'the pipeline has no context ranks');
  if (expert > 1 && !hasExperts(model)) withoutEffect(context, keys, 'expert', 'no layer has experts with a shape');
  if (ownMeshes) return;
  for (const entry of keys.all('overlap')) {
    const [group] = entry.parameters ?? [];
    const name = group?.kind === 'name' ? groupNames.find((groupName) => groupName === group.text) : undefined;
    if (name !== undefined && mesh[name] === 1) notApplicable(context, entry, `the pipeline has no ${name} ranks`);
    else if (name === 'context' && mesh.contextExchange === 'all_to_all')
      notApplicable(context, entry, 'the attention core waits for the whole all-to-all');
    else if (name === 'context' && mesh.contextExchange === 'all_gather')
      notApplicable(context, entry, 'the attention core waits for all keys and values');
  }
}

function withoutEffect(context: ReadContext, keys: Keys, key: string, reason: string): void {
  const entry = keys.find(key);
  if (entry !== undefined) notApplicable(context, entry, reason);
}

/** A second pipeline of a name is not planned: paths would be ambiguous. */
function isDuplicate(context: ReadContext, block: BlockDeclaration): boolean {
  const first = context.names.get(block.name?.text ?? '')?.declaration;
  return first?.uri !== context.uri || first.start !== block.name?.start;
}

function readDefinition<T>(
  context: ReadContext,
  keys: Keys,
  key: string,
  definitions: ReadonlyMap<string, T>,
): T | undefined {
  const value = valueOf(keys.find(key));
  if (value === undefined) return undefined;
  if (value.kind === 'name') return definitions.get(context.links.get(value) ?? '');
  const found = evaluate(context, value);
  if (found !== undefined)
    context.report.report('type/mismatch', value, {
      expected: `the name of a ${key === 'model' ? 'model' : 'cluster'}`,
      found: describe(found),
    });
  return undefined;
}

function origins(context: ReadContext, pipeline: string, keys: Keys, name: Span): void {
  const path = paths.pipeline(pipeline);
  if (context.origins.has(path)) return;
  context.origins.set(path, context.report.place(name));
  for (const entry of keys.entries) {
    const value = valueOf(entry);
    if (value !== undefined) context.origins.set(paths.key(pipeline, entry.key.text), context.report.place(value));
  }
  const batch = valueOf(keys.find('global_batch'));
  if (batch !== undefined && keys.find('microbatches') === undefined)
    context.origins.set(paths.key(pipeline, 'microbatches'), context.report.place(batch));
}
