/** Figures of runs of consecutive layers, each as it would be as a stage. */
import { type ModelDefinition, needsOf } from '../../definitions/model.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import { noLayers, stageCost, withLayer } from '../../costs/stage.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import { type LayerCosts, totalTime } from '../cost/layerCosts.ts';
import type { HeldFigure } from './heldRows.ts';
import type { Site } from '../place/sites.ts';
import { staticBytes } from '../cost/stagePlans.ts';

/** Bytes and seconds of a run: of the whole model's layers, one microbatch, one device. */
export interface RunFigures {
  /** Weights, gradients and optimizer state. */
  readonly static: number;
  readonly held: Readonly<Record<HeldFigure, number>>;
  /** Bytes that come from layers before it, each tensor once; bytes that go to layers behind it, each tensor once. */
  readonly entering: number;
  readonly leaving: number;
  readonly time: number;
}

export interface RunRequest {
  readonly model: ModelDefinition;
  /** Layers in cutting order. */
  readonly order: Int32Array;
  readonly costs: LayerCosts;
  readonly mode: RecomputeMode;
  readonly optimizer?: OptimizerUse;
}

export type RunsOf = (kind: Site, from: number, to: number) => RunFigures;

/** Figures of layers `from` to `to` (exclusive, by position in `order`); those that start at one layer are made together. */
export function runFigures(request: RunRequest): RunsOf {
  const { order, model } = request;
  const positions = new Int32Array(order.length);
  for (const [position, element] of order.entries()) positions[element] = position;
  const needs = Array.from(order, (element) => needsOf(model, element).map((need) => positions[need]));
  const lastUse = new Int32Array(order.length).fill(-1);
  for (const [position, from] of needs.entries())
    for (const index of from) lastUse[index] = Math.max(lastUse[index], position);
  const known = new Map<Site, (readonly RunFigures[] | undefined)[]>();
  return (kind, from, to) => {
    let rows = known.get(kind);
    if (rows === undefined) known.set(kind, (rows = []));
    return (rows[from] ??= runsFrom(request, kind, from, needs, lastUse))[to - from - 1];
  };
}

function runsFrom(
  request: RunRequest,
  kind: Site,
  from: number,
  needs: readonly (readonly number[])[],
  lastUse: Int32Array,
): readonly RunFigures[] {
  const { order, costs, mode } = request;
  const runs: RunFigures[] = [];
  const received = new Set<number>();
  /** Tensors made here that later layers need, by the last of these. */
  const ending = new Map<number, number>();
  let [sums, entering, leaving] = [noLayers, 0, 0];
  for (let position = from; position < order.length; position += 1) {
    sums = withLayer(sums, costs.of(order[position], kind, mode));
    for (const index of needs[position]) {
      if (index >= from || received.has(index)) continue;
      received.add(index);
      entering += costs.output(order[index], kind);
    }
    leaving -= ending.get(position) ?? 0;
    const last = lastUse[position];
    if (last > position) {
      const output = costs.output(order[position], kind);
      leaving += output;
      ending.set(last, (ending.get(last) ?? 0) + output);
    }
    const stage = stageCost(sums, mode, entering);
    const { weights, gradients, optimizer } = staticBytes(stage, kind, request);
    runs.push({
      static: weights + gradients + optimizer,
      held: stage,
      entering,
      leaving: Math.max(0, leaving),
      time: totalTime(stage),
    });
  }
  return runs;
}
