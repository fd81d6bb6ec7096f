import { amountOf, whole, key, type BlockSchema } from './types.ts';
import { precisions } from './words.ts';

export const model: BlockSchema = {
  name: 'model',
  doc: 'Layers in order, or a graph of them with `after`.',
  keys: [
    key(
      'layer',
      'layer block[8] { forward = 4ms  backward = 8ms }',
      { kind: 'shape' },
      'A layer, or with `[n]` an array of equal ones; measured in braces or derived from a shape.',
      {
        default: { otherwise: 'none: a model has `layer` or `from`' },
        also: {
          label: 'layer … = transformer(…)',
          example: 'layer block[32] = transformer(hidden = 4096, heads = 32)',
          doc: 'Layers whose parameters, FLOPs and bytes follow from a shape, and whose times follow from the device. The model then needs `sequence`.',
        },
        forms: ['block', 'named'],
        repeatable: true,
        block: 'layer',
      },
    ),
    key('sequence', 'sequence = 2048', whole(1), 'Tokens of one sample. Needed for layers with a shape.', {
      default: { otherwise: 'what `from` says; layers with a shape need it' },
    }),
    key('micro_batch', 'micro_batch = 1', whole(1), 'Samples of one microbatch.', {
      default: { value: '1', or: 'what the model of `from` says' },
    }),
    key(
      'precision',
      'precision = bf16',
      { kind: 'words', words: precisions },
      'Number format of weights and activations.',
      { default: { value: 'bf16', or: 'what `from` says' } },
    ),
    key(
      'activations',
      'activations = fp8',
      { kind: 'activations' },
      'Format of stored inputs of products with weights: `fp8` under `precision = fp8`, `fp4` under `precision = fp4`.',
      { see: ['costs/activations.md#in-fp8', 'costs/activations.md#in-fp4'], default: { otherwise: '16 bits' } },
    ),
    key(
      'loss',
      'loss = chunked(8)',
      { kind: 'loss' },
      'How heads compute the loss that do not say, and heads of layers that come `from` elsewhere: `parallel`, `eager`, `compiled`, `fused`, `chunked(8)`.',
      { see: ['costs/activations.md', 'engines/README.md'], default: { otherwise: 'as the `engine` does' } },
    ),
    key(
      'pad',
      'pad = 128',
      whole(1),
      'Rounds the vocabulary of layers that do not say, and of layers that come `from` elsewhere, up to a multiple of `pad` × tensor ranks. Megatron-LM uses 128.',
      { default: '1' },
    ),
    key(
      'trainable',
      'trainable = lora(rank = 16)',
      { kind: 'trainable' },
      'Default of `trainable` for layers that do not set it. `false`: nothing trains. `lora(rank = 16)`: adapters of transformer layers, and nothing else.',
      { default: 'true' },
    ),
    key(
      'frozen',
      'frozen = embed, block[0..15]',
      { kind: 'layers' },
      'Layers that do not train: no weight gradient, no gradients, no optimizer state. They still pass gradients on to earlier layers that train.',
      { default: { otherwise: 'none' }, list: true },
    ),
    key(
      'in_bf16',
      'in_bf16 = block[0], block[31]',
      { kind: 'layers' },
      'Layers that multiply in bf16 and store activations so, in a model of `precision = fp8` or `fp4`: often the first and the last.',
      { see: ['costs/activations.md#in-fp4'], default: { otherwise: 'none' }, list: true },
    ),
    key(
      'rotary_base',
      'rotary_base = 500000',
      whole(1),
      'Base of rotary positions (`rope_theta`). It changes no figure; `export` writes it.',
      {
        see: ['formats/megatron-layout.md#writing-a-script'],
        default: { otherwise: 'as the layers `from` elsewhere, otherwise unknown' },
      },
    ),
    key(
      'rotary_percent',
      'rotary_percent = 25%',
      amountOf('number', { above: 0, max: 1 }),
      'Share of the width of a head that rotates (`partial_rotary_factor`). It changes no figure; `export` writes it.',
      {
        see: ['formats/megatron-layout.md#writing-a-script'],
        default: { otherwise: 'as the layers `from` elsewhere, otherwise all' },
      },
    ),
    key(
      'rope_scaling',
      'rope_scaling = 8',
      amountOf('number', { min: 1 }),
      'Factor by which Llama 3.1 and later scale rotary positions (`rope_scaling` of the type `llama3`). It changes no figure; `export` writes it.',
      {
        see: ['formats/megatron-layout.md#writing-a-script'],
        default: { otherwise: 'as the layers `from` elsewhere, otherwise none' },
      },
    ),
    key(
      'norm_epsilon',
      'norm_epsilon = 1e-6',
      amountOf('number', { above: 0, max: 1 }),
      'What norms add to the variance (`rms_norm_eps`). It changes no figure; `export` writes it.',
      {
        see: ['formats/megatron-layout.md#writing-a-script'],
        default: { otherwise: 'as the layers `from` elsewhere, otherwise unknown' },
      },
    ),
    key(
      'from',
      'from = profile("graph.txt")',
      { kind: 'source' },
      'Takes layers from elsewhere, instead of `layer`: `profile("graph.txt")` (a measured profile), `huggingface("config.json")` (a configuration), or the name of another model, such as one of `std:models`.',
      { default: { otherwise: 'none' } },
    ),
  ],
};

const time = amountOf('time');
const size = amountOf('bytes');
export const layer: BlockSchema = {
  name: 'layer',
  doc: 'Times and sizes of one microbatch on one device of the stage.',
  keys: [
    key('forward', 'forward = 4ms', time, 'Time of the forward pass.', { default: '0s' }),
    key(
      'backward',
      'backward = 8ms',
      time,
      'Time of the whole backward pass. A policy that splits it uses two equal halves.',
      { default: { otherwise: 'its two halves; a layer with a `forward` needs one or the other' } },
    ),
    key(
      'backward_input',
      'backward_input = 4ms',
      time,
      'Time of the input gradient, where the two halves of the backward are measured apart.',
      { default: { otherwise: 'half of `backward`' } },
    ),
    key(
      'backward_weight',
      'backward_weight = 4ms',
      time,
      'Time of the weight gradient, where the two halves of the backward are measured apart.',
      { default: { otherwise: 'half of `backward`' } },
    ),
    key('weights', 'weights = 256MiB', size, 'Bytes of the parameters at the precision of the model.', {
      default: '0B',
    }),
    key('activation', 'activation = 512MiB', size, 'Bytes kept from the forward to the backward pass.', {
      default: '0B',
    }),
    key(
      'activation_for_weight',
      'activation_for_weight = 192MiB',
      size,
      'Bytes that the weight gradient still needs after the input gradient (M_W of Zero Bubble).',
      { default: { otherwise: 'all of `activation`' } },
    ),
    key('output', 'output = 16MiB', size, 'Bytes sent to each stage that needs this layer.', { default: '0B' }),
    key('workspace', 'workspace = 64MiB', size, 'Bytes held only while the layer runs.', { default: '0B' }),
    key(
      'matrix',
      'matrix = [4096, 4096]',
      whole(1),
      'Inputs and outputs of a fully connected layer. Its gradient can then be exchanged as two factors (`sync = hybrid`, `ps(push = factors)`).',
      { see: ['communication/README.md#rules'], default: { otherwise: 'none' }, list: true },
    ),
    key(
      'shape',
      'shape = transformer(hidden = 4096, heads = 32)',
      { kind: 'shape' },
      'Derives every cost from a shape, in a layer that also has `after`, `tokens` or `trainable`.',
      { default: { otherwise: 'none' } },
    ),
    key(
      'tokens',
      'tokens = 577',
      whole(1),
      'Tokens of one sequence that this layer works on, such as the patches of an image.',
      { see: ['look-up/language/model.md#several-towers'], default: { otherwise: '`sequence` of the model' } },
    ),
    key(
      'images',
      'images = 4',
      whole(1),
      'Sequences of one sample that this layer works on, such as its images. Tokens attend to tokens of the same image.',
      { default: '1' },
    ),
    key(
      'trainable',
      'trainable = false',
      { kind: 'trainable' },
      'What of the layer trains. `false`: nothing, so it has no weight gradient, no gradients and no optimizer state. `lora(rank = 16)`: only adapters of its products.',
      {
        see: ['look-up/language/model.md#frozen-and-adapted-layers'],
        default: { otherwise: 'as the model says, otherwise `true`' },
      },
    ),
    key('after', 'after = [embed]', { kind: 'layers' }, 'Layers whose output this one needs.', {
      default: { otherwise: 'the layer above' },
      list: true,
    }),
    key(
      'attends',
      'attends = encoder',
      { kind: 'layers' },
      'Layer of another tower whose output every layer of this array needs in addition, for cross-attention (`cross`). Each stage with such layers receives it.',
      { see: ['look-up/language/model.md#several-towers'], default: { otherwise: 'none' }, list: true },
    ),
  ],
};
