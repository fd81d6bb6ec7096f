/** The part of an optimizer that is on the host: what goes there, how long its update takes, and what comes back. */
import { keptBytes, shardRanks, shardsState } from '../../costs/optimizer.ts';
import type { HostOptimizer, OptimizerUse } from '../../definitions/optimizer.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Precision } from '../../costs/types.ts';
import type { HostBucketPlan, HostStepPlan } from '../../values/plan.ts';
import type { Notes } from '../notes.ts';
import { hostShare } from '../place/hosts.ts';
import type { SitedRank } from '../place/sites.ts';
import { type GradientBucket, gradientBuckets } from './gradientBuckets.ts';
import type { Held } from '../exchange/holders.ts';

export interface HostStepRequest extends Pick<SettledPipeline, 'cluster' | 'at'> {
  readonly ranks: readonly SitedRank[];
  readonly optimizer: OptimizerUse;
  readonly offload: HostOptimizer;
  readonly precision: Precision;
  /** Bytes that close a bucket; 0: each layer is one. */
  readonly bucket: number;
}

/** How the gradients of a stage are exchanged before they go to the host. */
export interface StageHeld extends Pick<Held, 'layers' | 'plan'> {
  readonly stage: number;
  /** All of them when no operation is left, or only gradients of the token embedding. */
  readonly atEnd: boolean;
  readonly embedding: boolean;
  /** Seconds after the stage's last backward in which the last of its shards is scattered. */
  readonly boundary: number;
}

/** Reports what the file does not say: a link to the host, or the bandwidth of its memory. Returns whether all is there. */
export function hostsSuffice(
  notes: Notes,
  { cluster, at, ranks, optimizer }: Pick<HostStepRequest, 'cluster' | 'at' | 'ranks' | 'optimizer'>,
): boolean {
  const place = optimizer.at.get('offload') ?? at('optimizer');
  for (const [rank, { kind }] of ranks.entries()) {
    if (kind.host === undefined) {
      notes.report.report(
        'type/mismatch',
        place,
        { expected: `a link to the host in device "${kind.name}", such as \`host = 25GB/s + 5us\``, found: 'none' },
        { hint: { kind: 'host', device: kind.name } },
      );
      return false;
    }
    if (hostShare(cluster, ranks, rank) !== undefined) continue;
    notes.report.report('key/missing', place, {
      key: 'host_bandwidth',
      block: cluster.nodes.length > 0 ? `node of cluster "${cluster.name}"` : `cluster "${cluster.name}"`,
      example: 'host_bandwidth = 200GB/s',
    });
    return false;
  }
  return true;
}

/**
 * What a rank offloads. An update reads the gradient and the state, writes the state, and writes the new weight: as many bytes for each
 * parameter go through the memory of the host. ZeRO-Offload (arXiv:2101.06840, section 4) keeps gradients and state on the host.
 */
export function hostStep(
  { cluster, ranks, optimizer, offload, precision, bucket }: HostStepRequest,
  rank: number,
  held: readonly StageHeld[],
): HostStepPlan | undefined {
  const { kind } = ranks[rank];
  const bandwidth = hostShare(cluster, ranks, rank);
  if (kind.host === undefined || bandwidth === undefined) return undefined;
  const link = kind.host;
  const moved = offload.recipe.moved(precision);
  const state = stateOf(offload, precision);
  const inParts = shardsState(optimizer.shard);
  const per = (of: number) => (inParts ? shardRanks(of, optimizer.over) : 1);
  const parametersOf = ({ dense, experts }: GradientBucket) =>
    offload.share * (dense / per(kind.ranks) + experts / per(kind.expertRanks));
  let parameters = 0;
  const stages = held.map(({ stage, layers, plan, atEnd, embedding, boundary }) => {
    const made = gradientBuckets(layers, moved.gradient, bucket, plan.recomputeMode === 'stage');
    const buckets = made.map((each, index): HostBucketPlan => {
      const count = parametersOf(each);
      parameters += count;
      const members = layers.slice(each.first, index === 0 ? layers.length : made[index - 1].first);
      const waits =
        atEnd ||
        (embedding && members.some(({ embeddingParameters = 0 }) => embeddingParameters > 0)) ||
        (boundary > 0 && index === made.length - 1);
      return {
        left: each.left,
        out: copySeconds(link, count * moved.gradient),
        step: (count * (moved.gradient + 2 * state + moved.weight)) / bandwidth,
        back: copySeconds(link, count * moved.weight),
        ...(waits ? { exchanged: true } : {}),
      };
    });
    return { stage, buckets };
  });
  return {
    stages,
    ...(optimizer.clip ? { clip: true } : {}),
    sent: parameters * moved.gradient,
    returned: parameters * moved.weight,
    kept: parameters * (moved.gradient + state),
  };
}

const copySeconds = (link: { readonly bandwidth: number; readonly latency: number }, bytes: number): number =>
  bytes > 0 ? bytes / link.bandwidth + link.latency : 0;

/** Bytes of state of one parameter, whole, with the copy of its gradient that an update makes. */
function stateOf({ recipe }: HostOptimizer, precision: Precision): number {
  const { state, copied = 0 } = keptBytes(recipe, precision);
  return state + copied;
}
