/** Arguments of the pipeline: what `trainingOf` reads. */
import { modulesIn, someLayersIn } from '../../../costs/recompute.ts';
import type { SettledPipeline } from '../../../definitions/pipeline.ts';
import type { PipelinePlan } from '../../../values/plan.ts';
import { layoutText } from './layoutText.ts';
import type { LayerSymbol } from '../layout.ts';
import type { Launch, Unwritable } from '../../launch.ts';
import type { FlagText, FlagTexts } from './flagText.ts';
import { optimizerFlags } from './optimizerFlags.ts';

export function trainingFlags(
  { plan, pipeline }: Launch,
  symbols: readonly (readonly LayerSymbol[])[],
): FlagTexts | Unwritable {
  const recompute = recomputeFlags(plan);
  if ('problem' in recompute) return recompute;
  const optimizer = optimizerFlags(pipeline);
  const gradients = gradientFlags(pipeline);
  if ('problem' in gradients) return gradients;
  return {
    flags: [
      ...rankFlags(pipeline),
      ...stageFlags(plan, pipeline, symbols),
      ['micro-batch-size', String(plan.microBatchSize)],
      ['global-batch-size', String(plan.microbatches * plan.microBatchSize * pipeline.mesh.data)],
      ...precisionFlags(pipeline),
      ...recompute.flags,
      ...optimizer.flags,
      ...gradients.flags,
      ...overlapFlags(pipeline),
    ],
    notes: [
      ...storedNotes(pipeline),
      ...recompute.notes,
      ...optimizer.notes,
      ...gradients.notes,
      ...overlapNotes(pipeline),
    ],
  };
}

const number = (name: string, value: number): readonly FlagText[] => (value === 1 ? [] : [[name, String(value)]]);
const onlyIf = (asked: boolean, ...flag: FlagText): readonly FlagText[] => (asked ? [flag] : []);

const commTypes = { ring: 'p2p', all_gather: 'all_gather', all_to_all: 'a2a' } as const;

function rankFlags({ mesh, rankOrder }: SettledPipeline): readonly FlagText[] {
  const { tensor, context, expert, expertTensor, sequenceParallel, contextExchange } = mesh;
  return [
    ['tensor-model-parallel-size', String(tensor)],
    ...onlyIf(sequenceParallel && tensor > 1, 'sequence-parallel'),
    ...number('context-parallel-size', context),
    ...onlyIf(context > 1, 'cp-comm-type', commTypes[contextExchange ?? 'ring']),
    ...number('expert-model-parallel-size', expert),
    ...(expertTensor === tensor ? [] : ([['expert-tensor-parallel-size', String(expertTensor)]] as const)),
    ...onlyIf(rankOrder === 'tp_cp_pp_dp', 'use-tp-pp-dp-mapping'),
  ];
}

/** Several stages a rank need groups: they are named unless they are as long as the pipeline. */
function stageFlags(
  { devices, stages, schedule }: PipelinePlan,
  { transfer }: SettledPipeline,
  symbols: readonly (readonly LayerSymbol[])[],
): readonly FlagText[] {
  const ranks = devices.length;
  const group = schedule.kind === 'policy' ? schedule.args['group'] : undefined;
  return [
    ['pipeline-model-parallel-size', String(ranks)],
    ...onlyIf(stages.length > 1, 'pipeline-model-parallel-layout', layoutText(symbols)),
    ...(stages.length > ranks && typeof group === 'number' && group !== ranks
      ? number('microbatch-group-size-per-virtual-pipeline-stage', group)
      : []),
    ...onlyIf(stages.length > ranks && transfer.rule !== undefined, 'no-overlap-p2p-communication'),
  ];
}

const fp8Recipes: ReadonlyMap<string, string> = new Map([
  ['current', 'tensorwise'],
  ['delayed', 'delayed'],
  ['blockwise', 'blockwise'],
  ['deepseek_v3', 'blockwise'],
  ['mxfp8', 'mxfp8'],
]);

function precisionFlags({ model }: SettledPipeline): readonly FlagText[] {
  const { precision, stored } = model;
  if (precision === 'fp8')
    return [['bf16'], ['fp8-format', 'hybrid'], ['fp8-recipe', fp8Recipes.get(stored?.recipe ?? '') ?? 'tensorwise']];
  if (precision === 'fp4') return [['bf16'], ['fp4-format', 'e2m1'], ['fp4-recipe', 'nvfp4']];
  return precision === 'bf16' || precision === 'fp16' ? [[precision]] : [];
}

/** Transformer Engine keeps the inputs of its products in the format of the products. */
const storedNotes = ({ model: { precision, stored } }: SettledPipeline): readonly string[] =>
  (precision === 'fp8' || precision === 'fp4') && stored === undefined
    ? [`Megatron-LM keeps activations in ${precision}: \`activations = ${precision}\` counts them.`]
    : stored?.recipe === 'deepseek_v3'
      ? ['What the recipe `deepseek_v3` keeps beyond `blockwise` has no argument.']
      : [];

function recomputeFlags(plan: PipelinePlan): FlagTexts | Unwritable {
  const [mode] = plan.stages.map(({ recomputeMode }) => recomputeMode);
  const written = (...flags: readonly FlagText[]): FlagTexts => ({ flags, notes: [] });
  const some = someLayersIn(mode);
  if (mode === 'none') return written();
  if (mode === 'selective') return written(['recompute-granularity', 'selective']);
  const modules = [...modulesIn(mode)].map((name) => (name === 'core_attention' ? 'core_attn' : name));
  if (modules.length > 0)
    return written(['recompute-granularity', 'selective'], ['recompute-modules', modules.join(' ')]);
  const full = (method: string, layers: number): FlagTexts =>
    written(['recompute-granularity', 'full'], ['recompute-method', method], ['recompute-num-layers', String(layers)]);
  if (mode === 'full') return full('uniform', 1);
  if (some !== undefined && some.method !== 'every') return full(some.method, some.layers);
  return { problem: `Megatron-LM has no \`recompute = ${mode}\`` };
}

/** Gradients that are reduced during the backward. */
function gradientFlags({ sync, exchange, optimizer, mesh }: SettledPipeline): FlagTexts | Unwritable {
  const name = exchange?.sync?.preset.name;
  if (mesh.data * mesh.context === 1) return { flags: [], notes: [] };
  if (name === 'megatron')
    return {
      flags: [
        ['overlap-grad-reduce'],
        ...onlyIf(optimizer !== undefined && optimizer.shard !== 'none', 'overlap-param-gather'),
      ],
      notes: [],
    };
  if (sync === undefined) return { flags: [], notes: [] };
  const bytes = optimizer?.written.get('main_grads') === 'bf16' ? 2 : 4;
  const elements = Math.round(sync.bucket / bytes);
  return {
    flags: [['overlap-grad-reduce'], ...onlyIf(elements > 0, 'ddp-bucket-size', String(elements))],
    notes:
      elements > 0
        ? []
        : [
            'A bucket for each layer is not written: Megatron-LM takes 40 million elements, or a million for each rank.',
          ],
  };
}

const overlapFlags = ({ overlap, mesh }: SettledPipeline): readonly FlagText[] => [
  ...onlyIf(overlap.tensor > 0 && mesh.tensor > 1, 'tp-comm-overlap'),
  ...onlyIf(overlap.expert > 0 && mesh.expert > 1, 'overlap-moe-expert-parallel-comm'),
];

/** Shares are measured or derived: the engine reaches what it reaches. */
const overlapNotes = (pipeline: SettledPipeline): readonly string[] =>
  overlapFlags(pipeline).length === 0
    ? []
    : ['The share of an exchange that overlaps with compute has no argument: it is what the kernels reach.'];
