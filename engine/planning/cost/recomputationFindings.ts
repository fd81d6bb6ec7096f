/** What is said where the recomputation that a file asks for does nothing. */
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import { modulesIn, modulesMode, type RecomputeModule, recomputeModules, someLayersIn } from '../../costs/recompute.ts';
import { parts } from '../../costs/layerPart.ts';
import type { LayerCost, RecomputeMode } from '../../costs/types.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { bytes, time } from '../../basics/quantities.ts';
import type { Notes } from '../notes.ts';
import type { Site } from '../place/sites.ts';
import { type LayerCosts, roleOf } from './layerCosts.ts';
import { pipelineMode } from './recomputation.ts';

/** Stages with one mode, where it is written. */
interface Asked {
  readonly mode: RecomputeMode;
  readonly at: Span;
  readonly stages: readonly { readonly elements: readonly number[]; readonly site: Site }[];
}

/** `key/not-applicable` for modules that no layer has, for more layers than any stage has, and for scores that nobody keeps. */
export function reportRecomputation(
  notes: Notes,
  pipeline: SettledPipeline,
  elements: readonly (readonly number[])[],
  sites: readonly Site[],
  costs: LayerCosts,
): void {
  for (const asked of askedIn(pipeline, elements, sites)) {
    for (const { key, reason } of [
      ...layersProblems(asked, pipeline),
      ...moduleProblems(asked, pipeline, costs),
      ...selectiveProblems(asked, pipeline, costs),
    ])
      notes.report.report('key/not-applicable', asked.at, { key, reason });
  }
}

function askedIn(
  pipeline: SettledPipeline,
  elements: readonly (readonly number[])[],
  sites: readonly Site[],
): readonly Asked[] {
  const { cut } = pipeline;
  const blocks = cut.kind === 'blocks' ? cut.stages : [];
  const stages = elements.map((each, stage) => ({ elements: each, site: sites[stage] }));
  const own = stages.flatMap((stage, index) => {
    const { recompute: mode, recomputeAt: at } = blocks[index] ?? {};
    return mode === undefined || at === undefined ? [] : [{ mode, at, stages: [stage] }];
  });
  const others = stages.filter((_, index) => blocks[index]?.recompute === undefined);
  const mode = pipelineMode(pipeline);
  // A schedule that decides what is recomputed has said so.
  const isWritten = mode === pipeline.recompute && mode !== 'none' && others.length > 0;
  return isWritten ? [{ mode, at: pipeline.at('recompute'), stages: others }, ...own] : own;
}

interface Problem {
  readonly key: string;
  readonly reason: string;
}

function layersProblems({ mode, stages }: Asked, { model }: SettledPipeline): readonly Problem[] {
  const some = someLayersIn(mode);
  if (some === undefined) return [];
  const most = Math.max(
    ...stages.map(({ elements }) => elements.filter((element) => roleOf(model, element) === 'block').length),
  );
  const key = some.method === 'every' ? 'every' : 'layers';
  if (most === 0) return [{ key, reason: 'there is no transformer layer and no measured layer to recompute' }];
  if (some.layers <= most) return [];
  const has = `no stage has more than ${most} such layers`;
  if (some.method === 'every') return [{ key, reason: `${has}, so nothing is recomputed; write at most ${most}` }];
  const instead = some.method === 'block' ? '`full`' : `\`full(layers = ${most}, method = uniform)\``;
  return [{ key, reason: `${has}; write ${instead}, which does the same` }];
}

const absent: Readonly<Record<RecomputeModule, string>> = {
  core_attention: 'no layer is a transformer layer',
  layernorm:
    'no layer has a norm apart from the product behind it, as before experts and latent attention, so nothing is freed; leave it out',
  mla_up_proj: 'no layer has latent attention (`kv_lora_rank`); leave it out',
  mlp: 'no layer has an MLP without experts; for layers with experts write `moe`',
  moe: 'no layer has experts; write `mlp`',
  moe_act: 'no layer has experts; write `mlp`',
  shared_experts: 'no layer has shared experts; leave it out',
};

/** Costs of different layers of some stages under a mode. */
function costsOf({ stages }: Asked, { model }: SettledPipeline, costs: LayerCosts, mode: RecomputeMode): LayerCost[] {
  const seen = new Set<number>();
  return stages.flatMap(({ elements, site }) =>
    elements.flatMap((element) => {
      const layer = model.layerOf[element];
      if (seen.has(layer)) return [];
      seen.add(layer);
      return [costs.of(element, site, mode)];
    }),
  );
}

function moduleProblems(asked: Asked, pipeline: SettledPipeline, costs: LayerCosts): readonly Problem[] {
  const modules = modulesIn(asked.mode);
  return recomputeModules.flatMap((module): readonly Problem[] => {
    if (!modules.has(module)) return [];
    const found = costsOf(asked, pipeline, costs, modulesMode([module])).filter(
      ({ recomputedParts }) => recomputedParts !== undefined,
    );
    if (found.length === 0) return [{ key: module, reason: absent[module] }];
    if (module !== 'core_attention' || found.some(({ recomputedParts }) => (recomputedParts?.[parts.scores] ?? 0) > 0))
      return [];
    const [{ recomputed, recompute }] = found;
    const reason = `FlashAttention keeps no scores: this frees ${bytes(recomputed)} of a layer and runs its attention again for ${time(recompute)}; leave it out`;
    return [{ key: module, reason }];
  });
}

function selectiveProblems(asked: Asked, pipeline: SettledPipeline, costs: LayerCosts): readonly Problem[] {
  if (asked.mode !== 'selective') return [];
  const under = (mode: RecomputeMode) => costsOf(asked, pipeline, costs, mode);
  if (under('selective').some(({ recomputed }) => recomputed > 0)) return [];
  const key = 'recompute = selective';
  // Of the layer that keeps most of what can be freed.
  const [whole, instead] = (['full', modulesMode(['mlp', 'moe'])] as const).map((mode) =>
    under(mode).reduce<LayerCost | undefined>(
      (most, cost) => (cost.recomputed > (most?.recomputed ?? 0) ? cost : most),
      undefined,
    ),
  );
  // Measured layers have their own message.
  if (whole === undefined || instead === undefined) return [];
  const module = instead.recomputedParts?.[parts.mlp] === undefined ? 'moe' : 'mlp';
  const ways = [
    `\`modules(${module})\` frees ${bytes(instead.recomputed)} of a layer for ${time(instead.recompute)}`,
    `\`full\` frees ${bytes(whole.recomputed)} for ${time(whole.recompute)}`,
  ];
  return [{ key, reason: `FlashAttention keeps no scores, so there is nothing to recompute; ${ways.join(', ')}` }];
}
