/** Figures of runs of consecutive layers, each as it would be as a stage. */
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import { keptBytes, optimizers, type ParameterBytes, type Shard, splitBytes } from '../../costs/optimizer.ts';
import { elementBytes } from '../../costs/precision.ts';
import { frozenBytes, frozenShare, noFrozen } from '../../costs/training.ts';
import { recomputedInGroup, recomputesBlock, someLayersIn } from '../../costs/recompute.ts';
import { noLayers, stageCost, type SummedCost, withLayer, withLayerOfGroup } from '../../costs/stage.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import { type LayerCosts, roleOf, totalTime } from '../cost/layerCosts.ts';
import type { MessageRoom } from '../cost/messageRoom.ts';
import { heldFigures } from './heldRows.ts';
import type { Site } from '../place/sites.ts';

/** What the figures of runs follow from: plain data. */
export interface RunLayers {
  readonly mode: RecomputeMode;
  /** By layer: 1 if `full(…)` counts it. */
  readonly blocks: Uint8Array;
  /** Layers that each layer needs. */
  readonly needs: readonly (readonly number[])[];
  readonly sites: readonly SiteLayers[];
  /** Stages keep what they send until the backward. */
  readonly keepsSent?: true;
  /** What an optimizer keeps; absent: weights, and gradients as large as they. */
  readonly optimizer?: {
    readonly kept: ParameterBytes;
    readonly shard: Shard;
    readonly over?: number;
    /** Of a weight that does not train. */
    readonly still: number;
  };
  /** Of a weight at the precision of the model. */
  readonly element: number;
}

/** Layers on one kind of device. */
export interface SiteLayers {
  readonly ranks: number;
  readonly expertRanks: number;
  /** Different costs, and which of them each layer has; `fullOf`: if its stage recomputes it. */
  readonly costs: readonly SummedCost[];
  readonly costOf: Int32Array;
  readonly fullOf: Int32Array;
  /** Bytes that each layer sends on. */
  readonly outputs: Float64Array;
}

export interface RunRequest {
  readonly model: ModelDefinition;
  /** Layers in cutting order. */
  readonly order: Int32Array;
  readonly costs: LayerCosts;
  readonly mode: RecomputeMode;
  readonly optimizer?: OptimizerUse;
  readonly room?: MessageRoom;
}

/** The layers of a model at sites. */
export function runLayers({ model, costs, mode, optimizer, room }: RunRequest, sites: readonly Site[]): RunLayers {
  const elements = Array.from({ length: model.elements }, (_, element) => element);
  const some = someLayersIn(mode);
  const splits = optimizer !== undefined && optimizer.recipe !== optimizers[0];
  return {
    mode,
    ...(room?.of === 'all' ? { keepsSent: true as const } : {}),
    element: elementBytes(model.precision),
    blocks: Uint8Array.from(elements, (element) => (roleOf(model, element) === 'block' ? 1 : 0)),
    needs: elements.map((element) => needsOf(model, element)),
    sites: sites.map((site) => {
      const different = new Map<SummedCost, number>();
      const indicesUnder = (of: RecomputeMode): Int32Array =>
        Int32Array.from(elements, (element) => {
          const cost = costs.of(element, site, of);
          const index = different.get(cost) ?? different.size;
          different.set(cost, index);
          return index;
        });
      const costOf = indicesUnder(mode);
      const fullOf = some === undefined ? costOf : indicesUnder('full');
      return {
        ranks: site.ranks,
        expertRanks: site.expertRanks,
        costs: [...different.keys()].map(summed),
        costOf,
        fullOf,
        outputs: Float64Array.from(elements, (element) => costs.output(element, site)),
      };
    }),
    ...(splits
      ? {
          optimizer: {
            kept: keptBytes(optimizer.recipe, model.precision),
            still: optimizer.recipe.moved(model.precision).gathered,
            shard: optimizer.shard,
            ...(optimizer.over === undefined ? {} : { over: optimizer.over }),
          },
        }
      : {}),
  };
}

/** A cost without what is only shown. */
const summed = (cost: SummedCost): SummedCost => ({
  parameters: cost.parameters,
  localParameters: cost.localParameters,
  expertParameters: cost.expertParameters,
  forwardFlops: cost.forwardFlops,
  forward: cost.forward,
  backwardInput: cost.backwardInput,
  backwardWeight: cost.backwardWeight,
  recompute: cost.recompute,
  splitKnown: cost.splitKnown,
  weights: cost.weights,
  activation: cost.activation,
  activationForWeight: cost.activationForWeight,
  recomputed: cost.recomputed,
  workspace: cost.workspace,
  ...(cost.workspaceStays === undefined ? {} : { workspaceStays: cost.workspaceStays }),
  ...(cost.crossInput === undefined ? {} : { crossInput: cost.crossInput }),
  ...(cost.frozen === undefined ? {} : { frozen: cost.frozen }),
});

/**
 * Columns of a run, for one microbatch on one device. `static`: bytes of weights, gradients and optimizer state. `update`: bytes of
 * copies of gradients while weights are updated. `entering`: bytes that
 * come from layers before it, `leaving`: bytes that go to layers behind it, each tensor once. `time`: seconds. From `held` on, bytes by
 * `heldFigures`.
 */
export const column = { static: 0, update: 1, entering: 2, leaving: 3, time: 4, held: 5 };
export const columns = column.held + heldFigures.length;

const activation = heldFigures.indexOf('activation');

/** Runs of layers that start at one position of the order at a site: `columns` figures for each, shorter runs first. */
export type RunsFrom = (site: number, from: number) => Float64Array;

/** Figures of all runs of an order; those that start at one layer are made at once, when they are first asked for. */
export function runFigures(layers: RunLayers, order: Int32Array): RunsFrom {
  const positions = new Int32Array(order.length);
  for (const [position, element] of order.entries()) positions[element] = position;
  const needs = Array.from(order, (element) => layers.needs[element].map((need) => positions[need]));
  const lastUse = new Int32Array(order.length).fill(-1);
  for (const [position, from] of needs.entries())
    for (const index of from) lastUse[index] = Math.max(lastUse[index], position);
  const known = layers.sites.map((): (Float64Array | undefined)[] => []);
  return (site, from) => (known[site][from] ??= runsFrom({ layers, order, needs, lastUse }, layers.sites[site], from));
}

interface Ordered {
  readonly layers: RunLayers;
  readonly order: Int32Array;
  /** By position: positions that it needs, and the last one that needs it. */
  readonly needs: readonly (readonly number[])[];
  readonly lastUse: Int32Array;
}

function runsFrom({ layers, order, needs, lastUse }: Ordered, site: SiteLayers, from: number): Float64Array {
  const { mode, blocks } = layers;
  const some = someLayersIn(mode);
  // Of the stage so far: blocks, and what the group of the last one makes again at once.
  let counted = 0;
  let group = { recomputed: 0, workspace: 0 };
  const runs = new Float64Array((order.length - from) * columns);
  const received = new Set<number>();
  /** Tensors made here that later layers need, by the last of these. */
  const ending = new Map<number, number>();
  let [sums, entering, leaving] = [noLayers, 0, 0];
  for (let position = from, at = 0; position < order.length; position += 1, at += columns) {
    const element = order[position];
    counted += blocks[element];
    const isRecomputed = some !== undefined && blocks[element] === 1 && recomputesBlock(some, counted);
    const cost = site.costs[(isRecomputed ? site.fullOf : site.costOf)[element]];
    if (!isRecomputed || some.method !== 'uniform') sums = withLayer(sums, cost);
    else if (counted % some.layers === 1 % some.layers) {
      sums = withLayer(sums, cost);
      group = { recomputed: cost.recomputed, workspace: cost.workspace };
    } else {
      sums = withLayerOfGroup(sums, cost, group);
      group = {
        recomputed: group.recomputed + recomputedInGroup(cost),
        workspace: Math.max(group.workspace, cost.workspace),
      };
    }
    for (const index of needs[position]) {
      if (index >= from || received.has(index)) continue;
      received.add(index);
      entering += site.outputs[order[index]];
    }
    leaving -= ending.get(position) ?? 0;
    const last = lastUse[position];
    if (last > position) {
      const output = site.outputs[order[position]];
      leaving += output;
      ending.set(last, (ending.get(last) ?? 0) + output);
    }
    const stage = stageCost(sums, mode, entering);
    const { always, update } = staticBytes(stage, site, layers);
    runs[at + column.static] = always;
    runs[at + column.update] = update;
    runs[at + column.entering] = entering;
    runs[at + column.leaving] = Math.max(0, leaving);
    runs[at + column.time] = totalTime(stage);
    for (let figure = 0; figure < heldFigures.length; figure += 1)
      runs[at + column.held + figure] = stage[heldFigures[figure]];
    if (layers.keepsSent === true) runs[at + column.held + activation] += Math.max(0, leaving);
  }
  return runs;
}

function staticBytes(
  {
    localParameters,
    expertParameters,
    weights,
    frozen = noFrozen,
  }: Pick<SummedCost, 'localParameters' | 'expertParameters' | 'weights' | 'frozen'>,
  { ranks, expertRanks }: SiteLayers,
  { optimizer, element }: RunLayers,
): { readonly always: number; readonly update: number } {
  if (optimizer === undefined) return { always: 2 * weights - frozenBytes(frozen, element), update: 0 };
  const { kept, shard, over, still } = optimizer;
  const bytes = splitBytes(kept, {
    local: localParameters - expertParameters - frozen.dense,
    experts: expertParameters - frozen.experts,
    ranks,
    expertRanks,
    shard,
    over,
  });
  const ofFrozen = frozenShare(frozen, still, { ranks, expertRanks, shard, over });
  return {
    always: bytes.weights + bytes.gradients + bytes.optimizer + ofFrozen,
    update: bytes.gradientCopies ?? 0,
  };
}
