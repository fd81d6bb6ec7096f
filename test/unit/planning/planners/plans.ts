/** Models for planners, and all plans of a small one. */
import { layerModesOf, type SomeLayers, someLayersMode } from '../../../../engine/costs/recompute.ts';
import { dagOf } from '../../../../engine/planning/cut/dag/graph.ts';
import type { PlannerLayers } from '../../../../engine/planning/cut/planners/layers.ts';

export interface LayerFigures {
  /** Seconds that the layer takes longer if its stage recomputes it; absent: it does not count as one that can be recomputed. */
  readonly again?: number;
  readonly forward: number;
  readonly backward: number;
  readonly gradients: number;
  /** Bytes that the next layer needs. */
  readonly output: number;
}

/** Layers that each need the one before only. */
export const plannerLayers = (layers: readonly LayerFigures[], some?: SomeLayers): PlannerLayers => ({
  ...(some === undefined
    ? {}
    : {
        recomputed: {
          some,
          blocks: Uint8Array.from(layers, ({ again }) => (again === undefined ? 0 : 1)),
          seconds: Float64Array.from(layers, ({ again = 0 }) => again),
        },
      }),
  count: layers.length,
  forward: Float64Array.from(layers, (layer) => layer.forward),
  backward: Float64Array.from(layers, (layer) => layer.backward),
  gradients: Float64Array.from(layers, (layer) => layer.gradients),
  crossing: Float64Array.from([0, ...layers.map((layer, index) => (index + 1 < layers.length ? layer.output : 0))]),
  outputs: Float64Array.from(layers, (layer) => layer.output),
  needs: dagOf(layers.length, (layer) => (layer === 0 ? [] : [layer - 1])).needs,
});

/** Seconds that layers of one stage take longer under a mode, found by the modes of its layers. */
export function againIn(layers: readonly LayerFigures[], some: SomeLayers | undefined): number {
  if (some === undefined) return 0;
  const modes = layerModesOf(
    someLayersMode(some),
    layers.map(({ again }) => (again === undefined ? 'other' : 'block')),
  );
  return sumOf(layers.map(({ again = 0 }, index) => (modes[index] === 'full' ? again : 0)));
}

/** Ways to recompute some layers of each stage that depend on where it starts. */
export const someLayers: readonly SomeLayers[] = [
  { method: 'block', layers: 0 },
  { method: 'block', layers: 1 },
  { method: 'block', layers: 2 },
  { method: 'every', layers: 2 },
  { method: 'every', layers: 3 },
  { method: 'every', layers: 1_000_000_000 },
];

export interface Split {
  readonly from: number;
  readonly to: number;
  readonly replicas: number;
}

/** All contiguous cuts with all numbers of replicas, on `machines` at most. */
export function plansOf(count: number, machines: number, from = 0): readonly (readonly Split[])[] {
  if (from === count) return [[]];
  const found: (readonly Split[])[] = [];
  for (let to = from + 1; to <= count; to += 1)
    for (let replicas = 1; replicas <= machines; replicas += 1)
      for (const rest of plansOf(count, machines - replicas, to)) found.push([{ from, to, replicas }, ...rest]);
  return found;
}

export const sumOf = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

/** What a search gives, and how often it stopped on its way there. */
export function slicesOf<Answer>(steps: Generator<void, Answer>): { readonly answer: Answer; readonly slices: number } {
  for (let slices = 0; ; slices += 1) {
    const step = steps.next();
    if (step.done === true) return { answer: step.value, slices };
  }
}

export const endOf = <Answer>(steps: Generator<void, Answer>): Answer => slicesOf(steps).answer;
