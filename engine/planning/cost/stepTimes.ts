/** What devices do after their last backward: gradients are exchanged among the ranks that hold the same weights, then the optimizer steps. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import { type MovedBytes, optimizers, shardsGradients, shardsWeights } from '../../costs/optimizer.ts';
import { packedSaving } from '../../costs/training.ts';
import type { Precision } from '../../costs/types.ts';
import type { WeightMatrix } from '../../costs/weightMatrix.ts';
import type { EdgePlan, StepPlan, StageExchange } from '../../values/plan.ts';
import { gradientBuckets } from './gradientBuckets.ts';
import { updateTimes } from './updateTimes.ts';
import {
  callsIn,
  gradientExchange,
  type GradientExchange,
  type Moved,
  moved,
  stillness,
  sumOfTraffic,
} from './gradientExchange.ts';
import { heldMatrices, matrixParameters, orthogonalTimes } from './orthogonalTimes.ts';
import { hostsSuffice, hostStep, type StageHeld } from './hostStep.ts';
import { groupRing } from '../place/groupRing.ts';
import { dataGroups, expertDataGroups, joinedGroups } from '../place/rankGroups.ts';
import type { SitedRanks } from '../place/sites.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type {
  CrowdedLinkPlan,
  ExchangePlan,
  LinkSharing,
  SharedLinkPlan,
  TimedCall,
} from '../../values/exchangePlan.ts';
import { bucketBytes, type ExchangeUse } from '../../definitions/exchange.ts';
import { noteInParts } from '../exchange/inParts.ts';
import { addedServers } from '../exchange/addedServers.ts';
import { exchangeAtEnd, factoredIn } from '../exchange/atEnd.ts';
import { type Holders, holdersIn } from '../exchange/holders.ts';
import { exchangeLanes } from '../exchange/lanes.ts';
import { linkSharing } from '../exchange/linkSharing.ts';
import { linksOfIteration } from '../exchange/linksOfIteration.ts';
import { outerSteps } from '../exchange/outerSteps.ts';
import { linksOfStages } from '../exchange/linksOfStages.ts';
import { share } from '../../basics/quantities.ts';
import type { StageNeeds } from '../exchange/stageGraph.ts';
import type { StageParts } from './stagePlans.ts';

export interface StepRequest extends Pick<
  SettledPipeline,
  'name' | 'cluster' | 'at' | 'optimizer' | 'sync' | 'exchange' | 'iterations' | 'local'
> {
  readonly ranks: SitedRanks;
  readonly stages: readonly StageParts[];
  readonly microbatches: number;
  readonly precision: Precision;
  /** By stage of the plan, the matrices of its layers that are fully connected. */
  readonly matrices: readonly (readonly (FactorShape | undefined)[])[];
  /** By stage of the plan, matrices that its update orthogonalises; empty if it does not. */
  readonly orthogonal: readonly (readonly WeightMatrix[])[];
  /** Messages between stages, if devices of equal position send them to each other. */
  readonly edges: readonly EdgePlan[];
  /** By stage of the plan, what its layers need. */
  readonly needs: readonly StageNeeds[];
}

export interface StepTimes {
  readonly step: readonly StepPlan[];
  /** Only if a rule orders the exchange; then its tensors are in no step. */
  readonly exchange?: ExchangePlan;
  readonly linkSharing?: LinkSharing;
  readonly sharedLinks?: readonly SharedLinkPlan[];
  readonly crowdedLinks?: readonly CrowdedLinkPlan[];
  readonly servers?: number;
}

/**
 * Gradient exchange and optimizer step, by rank; `undefined` if devices have no route (reported). If a stage has copies on
 * several ranks, the ranks of all of them are one group. A step takes what the file says, or what its bytes take (`updateTimes`). In steps.
 */
export function* stepTimes(notes: Notes, request: StepRequest): Generator<void, StepTimes | undefined, void> {
  const { ranks, stages, optimizer } = request;
  const groups = holdersIn(ranks, stages);
  const per = (optimizer?.recipe ?? optimizers[0]).moved(request.precision);
  const after: Moved[] = ranks.ranks.map(() => stillness);
  const inBuckets: Moved[] = ranks.ranks.map(() => stillness);
  const overlap: StageExchange[][] = ranks.ranks.map(() => []);
  const rule = request.exchange?.sync;
  const asked = request.exchange?.collective;
  const possible = request.exchange === undefined || !shardsGradients(optimizer?.shard ?? 'none');
  const collective = possible ? asked : undefined;
  // Weights that are gathered once an iteration still overlap with its first forwards.
  const sync = request.sync ?? (rule !== undefined && !possible ? { bucket: bucketBytes(rule) } : undefined);
  const sharing = linkSharing({ ...request, exchange: { sync: rule, collective } }, groups);
  const shared = typeof sharing === 'string' ? undefined : sharing;
  const ordered =
    rule !== undefined && possible
      ? exchangeLanes(notes, {
          ...request,
          exchange: { sync: rule, collective },
          holders: groups,
          per,
          sharing: shared,
        })
      : 'none';
  if (ordered === undefined) return undefined;
  if (!offloadFits(notes, request, ordered !== 'none' && ordered.lanes.length > 0)) return undefined;
  const onHost: StageHeld[][] = ranks.ranks.map(() => []);
  const gatheredLater = new Float64Array(ranks.ranks.length);
  // Ranks that hold weights in parts gather those that do not train too.
  const gathersAll = shardsWeights(optimizer?.shard ?? 'none');
  for (const holder of groups) {
    yield;
    const { members, dense, experts, held } = holder;
    const all = members.map((member) => ranks.ranks[member]);
    const exchangeOver = (groupsOf: typeof dataGroups, kind: 'dense' | 'experts') => {
      const links = shared?.linksOf(holder, kind);
      return collective === undefined || ordered !== 'none'
        ? gradientExchange(notes, request, all, per, groupsOf, links)
        : exchangeAtEnd(
            notes,
            { ...request, exchange: { collective }, per, ...joinedGroups(all, groupsOf) },
            factoredIn(held, request.matrices),
            links,
          );
    };
    const ofDense = exchangeOver(dataGroups, 'dense');
    const ofExperts = experts === 0 ? ofDense : exchangeOver(expertDataGroups, 'experts');
    if (ofDense === undefined || ofExperts === undefined) return undefined;
    const weights = sumOfTraffic(ofDense.weights(dense), ofExperts.weights(experts));
    const gradients = sumOfTraffic(ofDense.gradients(dense), ofExperts.gradients(experts));
    const owned = ownedIn(holder, request, { dense: ofDense, experts: ofExperts });
    if (ordered !== 'none') {
      // Lanes carry gradients, and updated weights.
      const boundary = sumOfTraffic(boundaryIn(held), owned);
      for (const member of members) after[member] = sumOfTraffic(after[member], boundary);
      addHeld(onHost, held, false);
      continue;
    }
    // Copies on several ranks run their first forwards in different orders: they gather after the step.
    const gathers = sync !== undefined && members.length === 1 && weights.seconds > 0;
    const bucket = gradients.seconds > 0 || gathers ? sync?.bucket : undefined;
    const still = gathersAll ? frozenIn(holder, per, ofDense, ofExperts) : stillness;
    const later = sumOfTraffic(gathers ? stillness : weights, still, bucket === undefined ? gradients : stillness);
    // Of several stages of a device, one ends the iteration.
    for (const member of members) after[member] = sumOfTraffic(after[member], later, owned, boundaryIn(held));
    addHeld(onHost, held, bucket === undefined && gradients.seconds > 0);
    if (bucket === undefined) continue;
    if (!gathers) for (const member of members) gatheredLater[member] += weights.seconds;
    for (const { layers, plan, on } of held) {
      const made = gradientBuckets(layers, per.gradient, bucket, plan.recomputeMode === 'stage').map(
        (gradientBucket) => {
          const out = sumOfTraffic(
            ofDense.gradients(gradientBucket.dense),
            ofExperts.gradients(gradientBucket.experts),
          );
          const back = gathers
            ? sumOfTraffic(ofDense.weights(gradientBucket.dense), ofExperts.weights(gradientBucket.experts))
            : stillness;
          return {
            moved: sumOfTraffic(out, back),
            plan: {
              seconds: out.seconds,
              left: gradientBucket.left,
              ...(gradientBucket.joins === true ? { joins: true as const } : {}),
              ...(gathers
                ? { gather: { seconds: back.seconds, before: gradientBucket.before, ...calledIn(back) } }
                : {}),
              ...calledIn(out),
            },
          };
        },
      );
      for (const [device, stage] of on) {
        inBuckets[device] = sumOfTraffic(inBuckets[device], ...made.map((each) => each.moved));
        overlap[device].push({ stage, buckets: made.map((each) => each.plan) });
      }
    }
  }
  const embeddings = embeddingTimes(notes, request, per.gradient);
  const outer = outerSteps(notes, request, groups);
  if (embeddings === undefined || outer === undefined) return undefined;
  const idle = overlap.every((candidate) => candidate.length === 0);
  const said = request.sync !== undefined && request.sync.usual !== true;
  const nothing = (said && idle) || (ordered !== 'none' && ordered.lanes.length === 0);
  if (request.exchange !== undefined && !possible) noteInParts(notes, request, request.exchange, idle);
  else if (nothing)
    notes.report.report('key/not-applicable', request.at('sync'), {
      key: 'sync',
      reason: 'no gradients are left to exchange after the last backwards. Remove `sync`',
    });
  const update = updateTimes(request, groups);
  const orthogonal = orthogonalTimes(request, groups, request.orthogonal);
  const offload = optimizer?.offload;
  const steps = after.map((each, rank) => {
    const all = sumOfTraffic(each, embeddings[rank]);
    const { seconds, bytes } = all;
    const host =
      optimizer === undefined || offload === undefined
        ? undefined
        : hostStep(
            { ...request, ranks: ranks.ranks, optimizer, offload, bucket: sync?.bucket ?? 0 },
            rank,
            onHost[rank]
              .toSorted((a, b) => a.stage - b.stage)
              .map((stage) => ({ ...stage, embedding: embeddings[rank].seconds > 0 })),
          );
    const sent = bytes + inBuckets[rank].bytes + (outer[rank]?.bytes ?? 0);
    return {
      sync: seconds,
      optimizer: update[rank] + orthogonal[rank],
      ...(sent > 0 ? { bytes: sent } : {}),
      ...(overlap[rank].length > 0 ? { overlap: overlap[rank] } : {}),
      ...(host === undefined
        ? {}
        : { host: gatheredLater[rank] > 0 ? { ...host, gather: gatheredLater[rank] } : host }),
      ...calledIn(all),
      ...(outer[rank] === undefined ? {} : { outer: outer[rank].plan }),
    };
  });
  // Updates of an asynchronous schedule share links as other operations do.
  const isUnshared = sharing === 'unknown' && request.iterations === 1;
  return {
    step: steps,
    ...(ordered === 'none' || nothing ? {} : { exchange: ordered }),
    ...(shared === undefined ? {} : { linkSharing: { links: shared.links } }),
    ...meeting(request, groups, per, isUnshared),
    ...serversIn(nothing ? {} : { sync: rule, collective }, ranks, groups),
  };
}

/** Links through which ranks of several stages send. */
function meeting(
  request: StepRequest,
  groups: readonly Holders[],
  per: MovedBytes,
  isUnshared: boolean,
): Pick<StepTimes, 'sharedLinks' | 'crowdedLinks'> {
  const unshared = isUnshared ? linksOfStages(request, request.ranks, groups, per) : [];
  const crowded = linksOfIteration(request, groups, per);
  return {
    ...(unshared.length > 0 ? { sharedLinks: unshared } : {}),
    ...(crowded.length > 0 ? { crowdedLinks: crowded } : {}),
  };
}

function serversIn(exchange: ExchangeUse, ranks: SitedRanks, groups: readonly Holders[]): Pick<StepTimes, 'servers'> {
  const servers = addedServers(exchange, ranks, groups);
  return servers > 0 ? { servers } : {};
}

/** What an update that orthogonalises matrices moves, if data ranks hold rows of each. */
function ownedIn(
  holder: Holders,
  { orthogonal, ranks }: Pick<StepRequest, 'orthogonal' | 'ranks'>,
  exchange: Readonly<Record<'dense' | 'experts', GradientExchange>>,
): Moved {
  if (orthogonal.length === 0) return stillness;
  const { kind } = ranks.ranks[holder.members[0]];
  const { dense, experts } = heldMatrices(holder, orthogonal, kind);
  return sumOfTraffic(
    exchange.dense.owned?.(matrixParameters(dense, kind.mesh.tensor)) ?? stillness,
    exchange.experts.owned?.(matrixParameters(experts, kind.mesh.expertTensor)) ?? stillness,
  );
}

/** Adds stages whose gradients go to the host to their ranks. */
function addHeld(onHost: readonly StageHeld[][], held: Holders['held'], atEnd: boolean): void {
  for (const { layers, plan, on } of held)
    for (const [rank, stage] of on)
      onHost[rank].push({ layers, plan, stage, atEnd, embedding: false, boundary: boundaryOf(layers) });
}

/** Whether an optimizer on the host has what it needs; a rule that orders gradients leaves no time for it (reported). */
function offloadFits(notes: Notes, { cluster, at, ranks, optimizer }: StepRequest, ordered: boolean): boolean {
  if (optimizer?.offload === undefined) return true;
  if (!ordered) return hostsSuffice(notes, { cluster, at, ranks: ranks.ranks, optimizer });
  notes.report.report('value/range', optimizer.at.get('offload') ?? at('optimizer'), {
    what: '"offload"',
    value: share(optimizer.offload.share),
    allowed: '0 % under a rule that orders gradients. Write `sync = overlap`, or remove `sync`',
  });
  return false;
}

function calledIn(sent: Moved): { readonly calls?: readonly TimedCall[] } {
  const calls = callsIn(sent);
  return calls === undefined ? {} : { calls };
}

const boundaryIn = (held: Holders['held']): Moved => ({
  bytes: 0,
  seconds: held.reduce((most, { layers }) => Math.max(most, boundaryOf(layers)), 0),
});

/** Seconds of shards that no pass of a stage hides: its first layer with weights begins and ends an iteration. */
const boundaryOf = (layers: StageParts['layers']): number =>
  layers.find(({ localParameters }) => localParameters > 0)?.boundary ?? 0;

/**
 * Keeps copies of the token embedding on several ranks alike (a head or an embedding that is tied to it, multi-token prediction). Their gradients
 * are reduced in a group of one rank each (Megatron-LM, `finalize_model_grads`).
 */
function embeddingTimes(
  notes: Notes,
  { cluster, at, ranks, stages }: StepRequest,
  gradient: number,
): readonly Moved[] | undefined {
  const holding = new Map<number, number>();
  for (const [index, { embedding }] of stages.entries())
    if (embedding > 0) holding.set(ranks.placement[index], embedding);
  const copied = stages.some(({ layers }) =>
    layers.some(({ embeddingParameters = 0, ownsEmbedding }) => embeddingParameters > 0 && ownsEmbedding !== true),
  );
  if (holding.size < 2 || !copied) return ranks.ranks.map(() => stillness);
  const numbers = [...holding.keys()].sort((a, b) => a - b);
  const members = numbers.map((index) => ranks.ranks[index]);
  const least = members.reduce((few, { devices }) => Math.min(few, devices.length), Infinity);
  const groups = Array.from({ length: least }, (_, index) => members.map(({ devices }) => devices[index]));
  const ring = groupRing(notes, { cluster, at }, 'reduce', [members[0]], () => groups);
  if (ring === undefined) return undefined;
  return ranks.ranks.map((_, rank) => moved('all_reduce', gradient * (holding.get(rank) ?? 0), numbers.length, ring));
}

/** What ranks gather that does not train. */
const frozenIn = (
  { frozenDense, frozenExperts, packed }: Holders,
  { weight }: MovedBytes,
  ofDense: Pick<GradientExchange, 'weights'>,
  ofExperts: Pick<GradientExchange, 'weights'>,
): Moved => sumOfTraffic(ofDense.weights(frozenDense - packedSaving(packed, weight)), ofExperts.weights(frozenExperts));
