/** What engines make of a model of which some weights do not train: adapters, frozen layers. */
import type { Row } from './engine.ts';

/** Frozen weights in 4 bits. */
const packedReason = (title: string): string =>
  `${title} keeps frozen weights in the format of the model, and has none in 4 bits (NF4)`;

const unpacked = { block: 'model', key: 'trainable', argument: 'weights', value: 'model' } as const;

/** An engine that trains all weights. */
export const allTrainRow = (title: string, source: string): Row => ({
  key: 'model',
  runs: 'All weights train: no adapters, no frozen layers. Megatron Bridge has both.',
  source,
  refuses: ({ training }) =>
    training === undefined
      ? undefined
      : {
          reason: `${title} trains all weights, and ${training.adapters === undefined ? 'some are frozen here' : 'has no adapters; Megatron Bridge has them'}`,
        },
});

/** Adapters of Megatron Bridge: of any product, over any ranks. */
export const bridgeAdaptersRow = (title: string): Row => ({
  key: 'model',
  runs: 'Adapters of any product, of experts too (`peft = LoRA(…)`), and frozen parts of a model. Frozen weights are not in 4 bits.',
  source: 'src/megatron/bridge/peft/lora.py: LoRA, VLMLoRA; peft/utils.py: ParallelLinearAdapter',
  refuses: ({ training }) =>
    training?.adapters?.packed === true ? { reason: packedReason(title), nearest: unpacked } : undefined,
});

/** Adapters of torchtitan: a converter replaces `Linear` layers, and freezes all others. */
export const titanAdaptersRow = (title: string): Row => ({
  key: 'model',
  runs: 'Adapters of linear layers without dropout (`LoRAConverter`), and nothing else then trains. No adapters of experts, no frozen weights in 4 bits, no frozen layers next to others that train whole.',
  source: 'torchtitan/components/lora.py: LoRAConverter; models/common/moe.py: GroupedExperts',
  refuses: ({ training }) => {
    if (training === undefined) return undefined;
    const { adapters, freezes } = training;
    if (adapters?.packed === true) return { reason: packedReason(title), nearest: unpacked };
    if (adapters?.experts === true) return { reason: `${title} has adapters of linear layers, and none of experts` };
    if (adapters?.dropout === true) return { reason: `adapters of ${title} have no dropout` };
    return freezes ? { reason: `${title} freezes all layers but adapters, or none` } : undefined;
  },
});

/** Engines whose modules are the user's. */
export const ownAdaptersRow = (title: string, source: string): Row => ({
  key: 'model',
  runs: `Adapters and frozen layers are modules of the user, by PEFT for example, and NF4 by bitsandbytes or torchao. ${title} trains what requires a gradient.`,
  source,
});
