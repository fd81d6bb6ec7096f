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
    key('sequence', 'sequence = 2048', whole(1), 'Tokens of one sample. Needed for layers with a shape.'),
    key('micro_batch', 'micro_batch = 1', whole(1), 'Samples of one microbatch. Default: 1.'),
    key(
      'precision',
      'precision = bf16',
      { kind: 'words', words: precisions },
      'Number format of weights and activations. Default: bf16.',
    ),
    key(
      'activations',
      'activations = fp8',
      { kind: 'activations' },
      'Format of stored inputs of products with weights: `fp8` under `precision = fp8`, `fp4` under `precision = fp4`. Default: 16 bits.',
    ),
    key(
      'trainable',
      'trainable = lora(rank = 16)',
      { kind: 'trainable' },
      'What trains of layers that do not say. `false`: nothing. `lora(rank = 16)`: adapters of transformer layers, and nothing else. Default: all.',
    ),
    key(
      'frozen',
      'frozen = embed, block[0..15]',
      { kind: 'layers' },
      'Layers that do not train: no weight gradient, no gradients, no optimizer state. They still pass gradients on to earlier layers that train.',
      { list: true },
    ),
    key(
      'from',
      'from = profile("graph.txt")',
      { kind: 'source' },
      'Takes layers from elsewhere, instead of `layer`: `profile("graph.txt")` (a measured profile), `huggingface("config.json")` (a configuration), or the name of another model, such as one of `std:models`.',
    ),
  ],
};

const time = amountOf('time');
const size = amountOf('bytes');
export const layer: BlockSchema = {
  name: 'layer',
  doc: 'Times and sizes of one microbatch on one device of the stage.',
  keys: [
    key('forward', 'forward = 4ms', time, 'Time of the forward pass.'),
    key(
      'backward',
      'backward = 8ms',
      time,
      'Time of the whole backward pass. A policy that splits it uses two equal halves.',
    ),
    key(
      'backward_input',
      'backward_input = 4ms',
      time,
      'Time of the input gradient, where the two halves of the backward are measured apart.',
    ),
    key(
      'backward_weight',
      'backward_weight = 4ms',
      time,
      'Time of the weight gradient, where the two halves of the backward are measured apart.',
    ),
    key('weights', 'weights = 256MiB', size, 'Bytes of the parameters at the precision of the model.'),
    key('activation', 'activation = 512MiB', size, 'Bytes kept from the forward to the backward pass.'),
    key(
      'activation_for_weight',
      'activation_for_weight = 192MiB',
      size,
      'Bytes that the weight gradient still needs after the input gradient (M_W of Zero Bubble). Default: all of `activation`.',
    ),
    key('output', 'output = 16MiB', size, 'Bytes sent to each stage that needs this layer.'),
    key('workspace', 'workspace = 64MiB', size, 'Bytes held only while the layer runs.'),
    key(
      'matrix',
      'matrix = [4096, 4096]',
      whole(1),
      'Inputs and outputs of a fully connected layer. Its gradient can then be exchanged as two factors (`sync = hybrid`, `ps(push = factors)`).',
      { list: true },
    ),
    key(
      'shape',
      'shape = transformer(hidden = 4096, heads = 32)',
      { kind: 'shape' },
      'Derives every cost from a shape, in a layer that also has `after`, `tokens` or `trainable`.',
    ),
    key(
      'tokens',
      'tokens = 577',
      whole(1),
      'Tokens of one sequence that this layer works on, such as the patches of an image. Default: `sequence` of the model.',
    ),
    key(
      'images',
      'images = 4',
      whole(1),
      'Sequences of one sample that this layer works on, such as its images. Tokens attend to tokens of the same image. Default: 1.',
    ),
    key(
      'trainable',
      'trainable = false',
      { kind: 'trainable' },
      'What of the layer trains. `false`: nothing, so it has no weight gradient, no gradients and no optimizer state. `lora(rank = 16)`: only adapters of its products. Default: as the model says, otherwise `true`.',
    ),
    key(
      'after',
      'after = [embed]',
      { kind: 'layers' },
      'Layers whose output this one needs. Default: the layer above.',
      { list: true },
    ),
    key(
      'attends',
      'attends = encoder',
      { kind: 'layers' },
      'Layer of another tower whose output every layer of this array needs in addition, for cross-attention (`cross`). Each stage with such layers receives it.',
      { list: true },
    ),
  ],
};
