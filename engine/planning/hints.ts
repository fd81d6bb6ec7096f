/** What the file does not say and the plan derives, for inlay hints. */
import type { Notes } from './notes.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import { amount, bytes, shareAtMost, time } from '../basics/quantities.ts';
import { type LayerCost, type RecomputeMode, layerModes } from '../costs/types.ts';
import type { LayerCosts } from './cost/layerCosts.ts';
import type { Site } from './place/sites.ts';

/**
 * ` 4 × 2 layers` after `balance(4)`, ` 5 + 22×4 + 3 layers` where stages differ. If layers can be cut in many orders, `, exact best` or by
 * how much the slowest stage is `above` the least possible at most.
 */
export function hintBalance(notes: Notes, at: Span, elements: readonly (readonly number[])[], above?: number): void {
  const sizes = elements.map((element) => element.length);
  const { text, whole } = sizesText(sizes);
  const layers = whole ? [] : [`Layers of each stage: ${sizes.join(', ')}.`];
  if (above === undefined)
    notes.derived.push({
      offset: at.end,
      text: ` ${text} layers`,
      ...(layers.length === 0 ? {} : { tooltip: layers.join('\n') }),
    });
  else
    notes.derived.push({
      offset: at.end,
      text: ` ${text} layers, ${above === 0 ? 'exact best' : `at most ${shareAtMost(above)} above the least possible`}`,
      tooltip: [
        above === 0
          ? 'No cut in which stages need only earlier stages has a faster slowest stage.'
          : `The best cut found; there are too many to try them all. No cut has a slowest stage that is faster by more than ${shareAtMost(above)}.`,
        ...layers,
      ].join('\n'),
    });
}

/** Terms of a hint: editors cut longer ones off. */
const mostTerms = 4;

/** `64 × 1`: stages × layers where all are equal; `5 + 22×4 + 3` for runs of equal ones. `whole`: nothing is left out. */
function sizesText(sizes: readonly number[]): { readonly text: string; readonly whole: boolean } {
  const runs: { readonly size: number; readonly count: number }[] = [];
  for (const size of sizes) {
    const last = runs.at(-1);
    if (last?.size === size) runs[runs.length - 1] = { size, count: last.count + 1 };
    else runs.push({ size, count: 1 });
  }
  const [first] = runs;
  if (runs.length === 1 && first !== undefined && first.count > 1)
    return { text: `${first.count} × ${first.size}`, whole: true };
  const terms = runs.map(({ size, count }) => (count === 1 ? String(size) : `${count}×${size}`));
  if (terms.length <= mostTerms) return { text: terms.join(' + '), whole: true };
  return { text: [...terms.slice(0, mostTerms - 1), '…'].join(' + '), whole: false };
}

/** Whose layers are hinted at: the layers of a model at a site of a pipeline. */
export interface LayersHint {
  readonly pipeline: string;
  readonly model: ModelDefinition;
  readonly costs: LayerCosts;
  readonly site: Site;
  readonly recompute: RecomputeMode;
}

/** ` 12.6 M parameters, F 3.1 ms, 288 MiB` after each layer with a shape, as it is on one device of the first pipeline. */
export function hintLayers(notes: Notes, hint: LayersHint): void {
  if (hintInherited(notes, hint)) return;
  const { pipeline, model, costs, site, recompute } = hint;
  const hinted = new Set(notes.derived.map(({ offset }) => offset));
  for (const layer of model.layers) {
    if (layer.cost.kind !== 'shape' || layer.place.uri !== notes.uri || hinted.has(layer.end)) continue;
    hinted.add(layer.end);
    const under = (mode: RecomputeMode) => costs.of(layer.first, site, mode);
    // Worked out when somebody looks: a file may have thousands of layers, and a window shows few.
    notes.derived.push({
      offset: layer.end,
      get text() {
        const { parameters, forward, activation } = under(recompute);
        return ` ${amount(parameters)} parameters, F ${time(forward)}, ${bytes(activation)}`;
      },
      get tooltip() {
        return tooltipOf(under(recompute), layer.array, site.name);
      },
      get layer() {
        const cost = under(recompute);
        const [none, selective, full] = layerModes.map((mode) => under(mode).activation);
        return {
          pipeline,
          ...(layer.run === undefined ? {} : { letter: layer.run.letter }),
          device: site.name,
          mesh: site.mesh,
          recompute,
          cost,
          leaves: { none, selective, full },
        };
      },
    });
  }
}

const tooltipOf = (cost: LayerCost, array: boolean, device: string): string =>
  `${array ? 'Each layer' : 'The layer'} on one ${device}, for one microbatch: ${amount(cost.parameters)} parameters in all, ` +
  `${amount(cost.forwardFlops)}FLOP forward, F ${time(cost.forward)}, B ${time(cost.backwardInput + cost.backwardWeight)} ` +
  `(I ${time(cost.backwardInput)}, W ${time(cost.backwardWeight)}), activations ${bytes(cost.activation)}, output ${bytes(cost.output)}.`;

/** Writes ` 8.03 G parameters` once if all layers come from one `from`. Returns whether they do. */
function hintInherited(notes: Notes, { model, costs, site, recompute }: LayersHint): boolean {
  const { layers } = model;
  const { end, place } = layers[0];
  if (layers.length < 2 || place.uri !== notes.uri || layers.some((layer) => layer.end !== end)) return false;
  if (
    layers.every((layer) => layer.cost.kind === 'measured') ||
    notes.derived.some((derivedValue) => derivedValue.offset === end)
  )
    return true;
  const parameters = layers.reduce(
    (sum, { first, count }) => sum + count * costs.of(first, site, recompute).parameters,
    0,
  );
  notes.derived.push({ offset: end, text: ` ${amount(parameters)} parameters` });
  return true;
}
