/** What the layers of a stage recompute, by what the file asks for. */
import { parts } from './partNames.ts';
import type { LayerCost, Parts, RecomputeMode } from './types.ts';

/** Parts of a transformer layer that can be recomputed apart, by Megatron-LM's names of `--recompute-modules` but for the first. */
export const recomputeModules = [
  'core_attention',
  'mla_up_proj',
  'layernorm',
  'mlp',
  'moe',
  'moe_act',
  'shared_experts',
] as const;
export type RecomputeModule = (typeof recomputeModules)[number];

/** `modules(core_attention, mlp)`: each once, in the order of the list. */
export const modulesMode = (modules: readonly RecomputeModule[]): RecomputeMode =>
  `modules(${recomputeModules.filter((module) => modules.includes(module)).join(', ')})`;

/** Modules that a mode names; none for other modes. */
export const modulesIn = (mode: RecomputeMode): ReadonlySet<string> =>
  new Set(mode.startsWith('modules(') ? mode.slice('modules('.length, -1).split(', ') : []);

/**
 * Full recomputation of some layers of each stage. `block`: the first `layers` ones, each by itself. `uniform`: all of them, in groups of
 * `layers`, of which the input of the first stays (Megatron-LM, `core/recompute.py`). `every`: each k-th layer by itself.
 */
export interface SomeLayers {
  readonly method: 'block' | 'uniform' | 'every';
  readonly layers: number;
}

export const someLayersMode = ({ method, layers }: SomeLayers): RecomputeMode =>
  method === 'every'
    ? `full(every = ${layers})`
    : `full(layers = ${layers}${method === 'uniform' ? ', method = uniform' : ''})`;

/** `budget(50 %)`: the share of what a layer keeps beyond its input that may stay. All of it is `none`, nothing `full`. */
export const budgetMode = (share: number): RecomputeMode =>
  share >= 1 ? 'none' : share <= 0 ? 'full' : `budget(${+(100 * share).toPrecision(6)}%)`;

/** The share of a budget; undefined for other modes. */
export function budgetIn(mode: RecomputeMode): number | undefined {
  const [, percent] = /^budget\((.+)%\)$/.exec(mode) ?? [];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** What `full(…)` asks for; undefined for other modes. */
export function someLayersIn(mode: RecomputeMode): SomeLayers | undefined {
  const [, key, number, method] = /^full\((layers|every) = (\d+)(?:, method = (uniform))?\)$/.exec(mode) ?? [];
  if (key === undefined) return undefined;
  return { method: key === 'every' ? 'every' : method === 'uniform' ? 'uniform' : 'block', layers: Number(number) };
}

/** Whether layers are counted by `full(…)`: blocks, the layers of a multi-token prediction, or others. */
export type LayerRole = 'block' | 'prediction' | 'other';

/**
 * The mode of each layer of a stage. `full(…)` counts blocks, which are transformer and measured layers. Predictions are recomputed by
 * themselves under `uniform`, and not at all under the other methods, as in Megatron-LM (`multi_token_prediction.py`).
 */
export function layerModesOf(mode: RecomputeMode, roles: readonly LayerRole[]): readonly RecomputeMode[] {
  const some = someLayersIn(mode);
  if (some === undefined) return roles.map(() => mode);
  let blocks = 0;
  return roles.map((role) => {
    if (role !== 'block') return role === 'prediction' && some.method === 'uniform' ? 'full' : 'none';
    blocks += 1;
    return recomputesBlock(some, blocks) ? 'full' : 'none';
  });
}

/** Whether a stage recomputes its n-th block, counted from 1. */
export const recomputesBlock = ({ method, layers }: SomeLayers, n: number): boolean =>
  method === 'block' ? n <= layers : method === 'uniform' || n % layers === 0;

/** The mode of a layer that is in no stage yet. Under `block` and `every` its place in a stage decides, so it recomputes nothing. */
export function modeOutsideStages(mode: RecomputeMode, role: LayerRole): RecomputeMode {
  const some = someLayersIn(mode);
  return some === undefined ? mode : some.method === 'uniform' && role !== 'other' ? 'full' : 'none';
}

/**
 * Layers of a stage whose groups are recomputed at once: the first layer of a group has what the whole group keeps and recomputes, and
 * its workspace.
 * The others keep nothing, since the recomputation makes their inputs too.
 */
export function inGroups(
  layers: readonly LayerCost[],
  mode: RecomputeMode,
  roles: readonly LayerRole[],
): readonly LayerCost[] {
  const some = someLayersIn(mode);
  if (some?.method !== 'uniform' || some.layers === 1) return layers;
  const found = [...layers];
  const blocks = layers.flatMap((_, index) => (roles[index] === 'block' ? [index] : []));
  for (let from = 0; from < blocks.length; from += some.layers) {
    const [first, ...others] = blocks.slice(from, from + some.layers);
    let { recomputed, workspace } = layers[first];
    for (const index of others) {
      const { crossInput = 0 } = layers[index];
      recomputed += recomputedInGroup(layers[index]);
      workspace = Math.max(workspace, layers[index].workspace);
      const activationParts: Parts = crossInput > 0 ? { [parts.crossInput]: crossInput } : {};
      found[index] = { ...layers[index], activation: crossInput, activationParts, recomputed: 0, workspace: 0 };
    }
    found[first] = { ...layers[first], recomputed, workspace };
  }
  return found;
}

/** What a group makes again for a layer behind its first one: its input too, but not the tokens of another tower. */
export const recomputedInGroup = ({
  activation,
  crossInput = 0,
  recomputed,
}: Pick<LayerCost, 'activation' | 'crossInput' | 'recomputed'>): number => activation - crossInput + recomputed;
