/** What stages send each other for a microbatch. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { EdgePlan } from '../../values/plan.ts';
import { copyEdges } from '../place/copies.ts';
import { edgesOf, withGradients } from './edges.ts';
import type { LayerCosts } from './layerCosts.ts';
import { sequenceParts } from '../../network/index.ts';
import { relay } from './relay.ts';
import type { Site, SitedRanks } from '../place/sites.ts';

export interface MessagesRequest {
  readonly pipeline: SettledPipeline;
  /** Stage of the cut of each element, and the site of each such stage. */
  readonly stageOf: Int32Array;
  readonly kinds: readonly Site[];
  readonly costs: LayerCosts;
  readonly copies: SitedRanks['copies'];
  /** Pieces that the schedule cuts every microbatch into. */
  readonly parts: number;
}

export interface Messages {
  /** Between stages of the program, of a piece of a microbatch. */
  readonly edges: readonly EdgePlan[];
  /** By stage of the cut, bytes of one microbatch that enter it on one device, and that it holds only to hand them on. */
  readonly entering: Float64Array;
  readonly relayed: Float64Array;
}

/** Each tensor goes straight to the stages that need it, or through all stages between if the schedule relays. */
export function messagesOf({ pipeline, stageOf, kinds, costs, copies, parts }: MessagesRequest): Messages {
  const { model, use } = pipeline;
  const count = kinds.length;
  const sequences = kinds.map((kind) => sequenceParts(kind.mesh));
  const ofAllReplicas = (element: number): number => {
    const site = kinds[stageOf[element]];
    return costs.output(element, site) / site.share;
  };
  const direct = withGradients(edgesOf(model, stageOf, count, ofAllReplicas, costs.returns), sequences);
  const entering = new Float64Array(count);
  for (const { to, bytes, back = bytes } of direct) entering[to] += back * kinds[to].share;
  const relays = use.kind === 'policy' && use.policy.relays?.(use.args) === true;
  const relayed = relays ? relay(direct, count, sequences) : undefined;
  const sent = relayed === undefined ? direct : withGradients(relayed.edges, sequences);
  const pieces = sent.map(({ bytes, back, ...edge }) => ({
    ...edge,
    bytes: bytes / parts,
    ...(back === undefined ? {} : { back: back / parts }),
  }));
  return {
    edges: copies === undefined ? pieces : copyEdges(pieces, copies),
    entering,
    relayed: Float64Array.from(kinds, ({ share }, stage) => (relayed?.held[stage] ?? 0) * share),
  };
}
