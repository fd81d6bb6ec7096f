/** Ranks with which a model fits on a cluster, as they are usually chosen: the fewest nodes first, then no recomputation, then the fastest. */
import type { Code } from '../findings/catalogue.ts';
import type { PipelineSize } from '../language/resolution.ts';
import type { PipelinePlan, StagePlan } from '../values/plan.ts';
import type { PipelineReport } from '../values/report.ts';

export interface Ranks {
  readonly tensor: number;
  readonly pipeline: number;
  readonly data: number;
  /** Among the data ranks. */
  readonly expert: number;
  /** Stages of a device. */
  readonly chunks: number;
  readonly recompute: 'none' | 'full';
  /** Absent: as many as the file has. */
  readonly nodes?: number;
}

/** A pipeline with these ranks; its report is absent if it does not run. */
export interface TriedRanks {
  readonly plan: PipelinePlan;
  readonly size: PipelineSize | undefined;
  readonly report: PipelineReport | undefined;
  readonly complaints: readonly Code[];
}

type Outcome = (ranks: Ranks) => Generator<undefined, TriedRanks | undefined, void>;

/** Tensor ranks stay within a node. */
const tensorRanks = [1, 2, 4, 8];
const pipelineRanks = [2, 3, 4, 6, 8, 12, 16, 24, 32];
const mostExpert = 8;
/** As many as the clusters of the standard library may have. */
const mostNodes = 2048;

/** Most pipelines that are simulated, in all and for one number of nodes and one recomputation; as many as fit are enough to compare. */
const budget = { all: 48, each: 10, enough: 5 };

/** Interleaved stages have to be faster by this share: they send more, and need more memory. */
const leastGain = 0.02;

/** Fills and drains take less than a quarter of the time. */
export const microbatchesOf = ({ pipeline }: Pick<Ranks, 'pipeline'>): number => Math.max(8, 4 * pipeline);

/**
 * Ranks whose pipeline fits, the best first found within the budget. `stages`: a cut that can be planned. Undefined if nothing fits and for
 * measured layers, whose memory does not follow from ranks.
 */
export function* fittingRanks(
  stages: number,
  outcome: Outcome,
  { mayGrow, mayInterleave }: { readonly mayGrow: boolean; readonly mayInterleave: boolean },
): Generator<undefined, Ranks | undefined, void> {
  const room = yield* roomOf(stages, outcome);
  if (room === undefined) return undefined;
  let left = budget.all;
  for (const nodes of nodeCounts(room, mayGrow))
    for (const recompute of ['none', 'full'] as const) {
      const fitting: Fitting[] = [];
      for (const ranks of promising(room, nodes, recompute).slice(0, budget.each)) {
        if (left <= 0 || fitting.length === budget.enough) break;
        left -= 1;
        const found = fits(ranks, yield* outcome(ranks));
        if (found !== undefined) fitting.push(found);
        yield undefined;
      }
      const [best] = fitting.toSorted((a, b) => b.throughput - a.throughput);
      if (best === undefined) continue;
      return mayInterleave ? yield* interleaved(best, outcome) : best.ranks;
    }
  return undefined;
}

interface Fitting {
  readonly ranks: Ranks;
  readonly throughput: number;
}

function fits(ranks: Ranks, found: TriedRanks | undefined): Fitting | undefined {
  const { report, complaints = [] } = found ?? {};
  const isFull = complaints.some((code) => code.startsWith('memory/'));
  return report === undefined || isFull ? undefined : { ranks, throughput: report.throughput };
}

/** Two stages on each of four or more devices, if that pays. */
function* interleaved({ ranks, throughput }: Fitting, outcome: Outcome): Generator<undefined, Ranks, void> {
  if (ranks.pipeline < 4) return ranks;
  const twice = { ...ranks, chunks: 2 };
  const found = fits(twice, yield* outcome(twice));
  return found !== undefined && found.throughput > throughput * (1 + leastGain) ? twice : ranks;
}

/** What the ranks divide: bytes of one replica, without its ranks. */
interface Room {
  readonly devices: number;
  readonly perNode: number;
  /** Of the device that has least. */
  readonly capacity: number;
  readonly layers: number;
  readonly weights: number;
  readonly optimizer: number;
  readonly activations: Readonly<Record<Ranks['recompute'], number>>;
  readonly hasExperts: boolean;
}

function* roomOf(stages: number, outcome: Outcome): Generator<undefined, Room | undefined, void> {
  const plain: Ranks = { tensor: 1, pipeline: stages, data: 1, expert: 1, chunks: 1, recompute: 'none' };
  const found = yield* outcome(plain);
  if (found?.size === undefined || !found.plan.stages.some(({ forwardFlops }) => forwardFlops > 0)) return undefined;
  const { plan, size } = found;
  const lessActivations = yield* outcome({ ...plain, recompute: 'full' });
  const half = Math.max(1, stages >> 1);
  const asExperts = size.devices > 1 ? yield* outcome({ ...plain, pipeline: half, data: 2, expert: 2 }) : undefined;
  const sum = (of: (stage: StagePlan) => number, all = plan.stages): number =>
    all.reduce((total, stage) => total + of(stage), 0);
  const [node] = plan.devices[0].name.split('.');
  const isNode = node !== plan.devices[0].name;
  const inNode = plan.devices.filter(({ name }) => !isNode || name.startsWith(`${node}.`)).length;
  return {
    devices: size.devices,
    perNode: Math.min(inNode, size.devices),
    capacity: Math.min(...plan.devices.map(({ memory, reserved }) => memory - reserved)),
    layers: sum(({ layers }) => layers.length),
    weights: sum(({ weights, gradients }) => weights + gradients),
    optimizer: sum(({ optimizer }) => optimizer),
    activations: {
      none: sum(({ activation }) => activation),
      full: sum(({ activation }) => activation, lessActivations?.plan.stages),
    },
    hasExperts: asExperts !== undefined && !asExperts.complaints.includes('key/not-applicable'),
  };
}

/** The number of the file, then powers of two above it. */
function* nodeCounts({ devices, perNode }: Room, mayGrow: boolean): Generator<number | undefined, void, void> {
  yield undefined;
  if (!mayGrow) return;
  let nodes = 1;
  while (nodes * perNode <= devices) nodes *= 2;
  for (; nodes <= mostNodes; nodes *= 2) yield nodes;
}

/** Ranks that use all devices and may fit: those that split a replica least first, which exchange least. */
function promising(room: Room, nodes: number | undefined, recompute: Ranks['recompute']): readonly Ranks[] {
  const devices = nodes === undefined ? room.devices : nodes * room.perNode;
  const found: Ranks[] = [];
  for (const tensor of tensorRanks.filter((each) => room.perNode % each === 0))
    for (const pipeline of devices === 1 ? [1] : pipelineRanks) {
      if (pipeline > room.layers || devices % (tensor * pipeline) !== 0) continue;
      const data = devices / (tensor * pipeline);
      const ranks = { tensor, pipeline, data, chunks: 1, recompute, ...(nodes === undefined ? {} : { nodes }) };
      const most = room.hasExperts ? expertRanks(data) : 1;
      found.push(...[...new Set([1, most])].map((expert) => ({ ...ranks, expert })));
    }
  return found
    .filter((ranks) => leastPeak(room, ranks) <= room.capacity)
    .toSorted((a, b) => a.tensor * a.pipeline - b.tensor * b.pipeline || b.tensor - a.tensor || b.expert - a.expert);
}

function expertRanks(data: number): number {
  let expert = 1;
  while (expert < mostExpert && data % (2 * expert) === 0) expert *= 2;
  return expert;
}

/** About the least bytes of a device: the first stage of 1F1B holds as many microbatches as there are stages. */
const leastPeak = (room: Room, { tensor, pipeline, data, expert, recompute }: Ranks): number =>
  room.weights / (tensor * pipeline * expert) +
  room.optimizer / (tensor * pipeline * data) +
  room.activations[recompute] / tensor;
