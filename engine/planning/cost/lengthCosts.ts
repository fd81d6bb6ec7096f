/** Costs of layers where microbatches have different lengths: of each kind of microbatch, and the means over all of them. */
import type { MicrobatchLengths } from '../../definitions/pipeline.ts';
import type { ModelDefinition } from '../../definitions/model.ts';
import type { GroupTraffic, Parts, Traffic, LayerCost, RecomputeMode } from '../../costs/types.ts';
import { groupNames } from '../../costs/types.ts';
import type { Site } from '../place/sites.ts';
import { type LayerCosts, layerCosts, type LengthKinds } from './layerCosts.ts';

/** Costs of a model. Each kind of microbatch is costed once. */
export function lengthCosts(model: ModelDefinition, lengths: MicrobatchLengths | undefined): LayerCosts {
  const { sequence } = model;
  if (lengths === undefined || sequence === undefined) return layerCosts(model);
  const known = new Map<string, number>();
  const counts: number[] = [];
  const costs: LayerCosts[] = [];
  const kindOf = lengths.tokens.map((tokens, microbatch) => {
    const documents = lengths.documents?.[microbatch];
    const key = `${tokens} ${documents?.toSorted((a, b) => a - b).join(' ') ?? ''}`;
    const kind = known.get(key) ?? counts.length;
    known.set(key, kind);
    counts[kind] = (counts[kind] ?? 0) + 1;
    costs[kind] ??= layerCosts({
      ...model,
      sequence: tokens,
      microbatch: { share: tokens / sequence, ...(documents === undefined ? {} : { documents }) },
    });
    return kind;
  });
  // Packed samples are reported, also if all are alike.
  if (costs.length === 1 && lengths.documents === undefined) return costs[0];
  return meanCosts({ ...lengths, kindOf, costs, counts });
}

/** Means over microbatches, and the largest workspace. Each mean is computed once for a layer, a site and a recompute mode. */
function meanCosts(kinds: LengthKinds): LayerCosts {
  const { costs, counts } = kinds;
  const [{ returns, alike }] = costs;
  const known = new Map<string, Map<Site, Map<number, LayerCost>>>();
  const outputs = new Map<Site, Map<number, number>>();
  return {
    kinds,
    returns,
    alike,
    output: (element, site) =>
      entryOf(
        entryOf(outputs, site, () => new Map<number, number>()),
        // What an element sends does not depend on recomputation.
        alike(element, 'none') ?? -1 - element,
        () =>
          mean(
            costs.map((kind) => kind.output(element, site)),
            counts,
          ),
      ),
    of(element, site, mode: RecomputeMode) {
      const ofMode = entryOf(known, mode, () => new Map<Site, Map<number, LayerCost>>());
      const layers = entryOf(ofMode, site, () => new Map<number, LayerCost>());
      return entryOf(layers, alike(element, mode) ?? -1 - element, () =>
        meanOf(
          costs.map((kind) => kind.of(element, site, mode)),
          counts,
        ),
      );
    },
  };
}

/** Costs between two pauses: a few milliseconds. */
const slice = 128;

/**
 * Computes the costs of all elements at some sites ahead, in steps. Each has as many parts as there are lengths. If microbatches are
 * alike and sites are not, an element may never be at some of them: its costs are then found when they are asked for.
 */
export function* costsAhead(
  { kinds, alike, of }: LayerCosts,
  { elements }: Pick<ModelDefinition, 'elements'>,
  sites: readonly Site[],
  mode: RecomputeMode,
): Generator<void, void, void> {
  const all = new Set(sites);
  if (kinds === undefined && all.size > 1) return;
  let since = 0;
  for (const site of all) {
    const known = new Set<number>();
    for (let element = 0; element < elements; element += 1) {
      const key = alike(element, mode) ?? -1 - element;
      if (known.has(key)) continue;
      known.add(key);
      for (const kind of kinds?.costs ?? []) {
        kind.of(element, site, mode);
        since += 1;
        if (since % slice === 0) yield;
      }
      of(element, site, mode);
      yield;
    }
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function mean(values: readonly number[], counts: readonly number[]): number {
  let [sum, all] = [0, 0];
  for (const [kind, value] of values.entries()) {
    sum += counts[kind] * value;
    all += counts[kind];
  }
  return sum / all;
}

const meanFigures = [
  'forwardFlops',
  'forward',
  'backwardInput',
  'backwardWeight',
  'recompute',
  'activation',
  'activationForWeight',
  'recomputed',
  'output',
] as const;
const optionalFigures = ['spareFlops', 'backwardFlops'] as const;

function meanOf(layers: readonly LayerCost[], counts: readonly number[]): LayerCost {
  const [first] = layers;
  const figures: { -readonly [Figure in (typeof meanFigures | typeof optionalFigures)[number]]?: number } = {};
  for (const figure of meanFigures)
    figures[figure] = mean(
      layers.map((layer) => layer[figure]),
      counts,
    );
  for (const figure of optionalFigures)
    if (layers.some((layer) => layer[figure] !== undefined))
      figures[figure] = mean(
        layers.map((layer) => layer[figure] ?? 0),
        counts,
      );
  return {
    ...first,
    ...figures,
    workspace: layers.reduce((most, { workspace }) => Math.max(most, workspace), 0),
    ...(first.activationParts === undefined
      ? {}
      : {
          activationParts: meanParts(
            layers.map((layer) => layer.activationParts),
            counts,
          ),
        }),
    ...(first.recomputedParts === undefined
      ? {}
      : {
          recomputedParts: meanParts(
            layers.map((layer) => layer.recomputedParts),
            counts,
          ),
        }),
    ...(first.traffic === undefined
      ? {}
      : {
          traffic: meanTraffic(
            layers.map((layer) => layer.traffic),
            counts,
          ),
        }),
  };
}

function meanParts(parts: readonly (Parts | undefined)[], counts: readonly number[]): Parts {
  const names = new Set(parts.flatMap((each) => Object.keys(each ?? {})));
  return Object.fromEntries(
    Array.from(names, (name) => [
      name,
      mean(
        parts.map((each) => each?.[name] ?? 0),
        counts,
      ),
    ]),
  );
}

function meanTraffic(traffic: readonly (Traffic | undefined)[], counts: readonly number[]): Traffic {
  const found: { -readonly [Group in keyof Traffic]: Traffic[Group] } = {};
  for (const group of [...groupNames, 'weights'] as const) {
    const each = traffic.map((kind) => kind?.[group]);
    if (each.every((one) => one === undefined)) continue;
    const meanOf = (figure: keyof GroupTraffic): number =>
      mean(
        each.map((moved) => moved?.[figure] ?? 0),
        counts,
      );
    const forward = meanOf('forward');
    found[group] = {
      bytes: meanOf('bytes'),
      ...(forward > 0 ? { forward } : {}),
      time: meanOf('time'),
      exposed: meanOf('exposed'),
    };
  }
  return found;
}
