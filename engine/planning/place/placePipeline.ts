/** Which devices run which stages, before any cost is known. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { partnersOn } from '../../policies/partners.ts';
import { bareShape } from '../../policies/shape.ts';
import { computes } from '../cost/computes.ts';
import type { MessageRoom } from '../cost/messageRoom.ts';
import type { Notes } from '../notes.ts';
import { assign } from './assignment.ts';
import { checkShard } from './checkShard.ts';
import { copyShare } from '../../order/copyTurns.ts';
import { firstCopy } from './copies.ts';
import { withinLimit } from './operationsLimit.ts';
import { placeRanks } from './ranks.ts';
import { type Site, siteRanks, type SitedRanks, sitesAhead } from './sites.ts';
import { segmentsFit } from './segmentsFit.ts';

export interface PlacedPipeline {
  readonly pipeline: SettledPipeline;
  /** Pieces that the schedule cuts every microbatch into, and microbatches that it runs: all pieces. */
  readonly parts: number;
  readonly microbatches: number;
  readonly ranks: SitedRanks;
  /** Site of each stage of the cut; the copies of a stage hold the same layers. */
  readonly sites: readonly Site[];
  /** Stage of each element where the file has stages as blocks. */
  readonly assigned?: Int32Array;
  /** Device that keeps what each device evicts, −1 for none; absent where nothing is evicted. */
  readonly partners?: Int32Array;
  /** A device has several stages. */
  readonly room: MessageRoom;
  /** The places of the stages, devices and schedule keys. */
  readonly at: { readonly stages: Span; readonly devices: Span; readonly schedule: Span };
}

/** In steps; `undefined` where stages and devices do not fit together, which has been reported. */
export function* placePipeline(
  notes: Notes,
  pipeline: SettledPipeline,
): Generator<void, PlacedPipeline | undefined, void> {
  const { name, model, cluster, cut, use, mesh, iterations } = pipeline;
  // A schedule may cut every microbatch into parts, each a microbatch to all that follows.
  const parts = use.kind === 'policy' ? (use.policy.parts?.(use.args) ?? 1) : 1;
  const microbatches = pipeline.microbatches * parts;
  const at = {
    stages: cut.kind === 'blocks' && !cut.planned ? pipeline.at('model') : pipeline.at('stages'),
    devices: pipeline.at('devices'),
    schedule: pipeline.at('schedule'),
  };
  const blocks = cut.kind === 'blocks' ? cut.stages : undefined;
  const assigned = blocks === undefined ? undefined : assign(notes, model, blocks);
  if (blocks !== undefined && assigned === undefined) return undefined;
  const bare = placeRanks(notes, {
    pipeline: name,
    cluster,
    use,
    stages: cut.count,
    layers: model.elements,
    microbatches,
    iterations,
    mesh,
    order: pipeline.rankOrder,
    place: pipeline.place,
    blocks,
    at,
  });
  // Segments of the sequence and pieces of microbatches multiply what runs.
  const pieces = bare?.copies?.reduce((sum, copy) => sum + copyShare(copy), 0) ?? cut.count;
  if (!withinLimit(notes, pipeline, pieces * parts) || bare === undefined) return undefined;
  if (!segmentsFit(notes, pipeline, bare.copies)) return undefined;
  const meshes = [...new Set(bare.ranks.map((rank) => rank.mesh))];
  const kinds = bare.ranks.map((rank) => rank.kind);
  if (!computes(notes, { ...pipeline, meshes }, kinds)) return undefined;
  yield* sitesAhead(pipeline, bare.ranks);
  const ranks = siteRanks(notes, pipeline, bare);
  if (ranks === undefined) return undefined;
  if (pipeline.optimizer !== undefined) checkShard(notes, pipeline.optimizer, ranks);
  const { copies } = ranks;
  return {
    pipeline,
    parts,
    microbatches,
    ranks,
    sites: Array.from({ length: cut.count }, (_, stage) => {
      const first = copies === undefined ? stage : firstCopy(copies, stage);
      return ranks.ranks[ranks.placement[first]].kind;
    }),
    assigned,
    partners: partnersFor(pipeline, ranks, microbatches),
    room: roomOf(pipeline, ranks, microbatches),
    at,
  };
}

/** If a device has several stages, messages overlap. */
function roomOf({ cut, use, transfer }: SettledPipeline, { ranks }: SitedRanks, microbatches: number): MessageRoom {
  if (transfer.receive === 'all') return { of: 'all', messages: microbatches };
  if (use.kind !== 'policy') return { of: 'stage', messages: ranks.length < cut.count ? 2 : 1 };
  const { policy, args } = use;
  if (policy.chunks(args) <= 1) return { of: 'stage', messages: 1 };
  return policy.messagesAtEnds === undefined
    ? { of: 'stage', messages: 2 }
    : { of: 'device', ends: policy.messagesAtEnds({ devices: ranks.length, microbatches, args }) };
}

/** By rank: who keeps what each evicts. */
function partnersFor(
  { cut, use, iterations }: SettledPipeline,
  { ranks, placement }: SitedRanks,
  microbatches: number,
): Int32Array | undefined {
  if (use.kind !== 'policy' || use.policy.partners === undefined) return undefined;
  const shape = bareShape({
    devices: ranks.length,
    stages: cut.count,
    chunks: use.policy.chunks(use.args),
    microbatches,
    iterations,
    args: use.args,
    replicas: new Int32Array(cut.count).fill(1),
  });
  const partners = use.policy.partners(shape);
  return partners === undefined
    ? undefined
    : partnersOn(partners, use.policy.placement(shape), placement, ranks.length);
}
