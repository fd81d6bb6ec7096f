/** Vision-language models: a vision tower, a projector, and a language model. */
import { table } from '../../basics/table.ts';
import type { Fields } from '../json/fields.ts';
import { attentionOf, layerCount, layerCountOf, llama, trunk, withEnds } from './llama.ts';
import { type ConfiguredLayer, type ConfiguredParts, runsOf, type TowerSizes } from './model.ts';

/** Tokens of an image and images of a sample, for the layers of a vision tower. */
type Sequences = Pick<ConfiguredLayer, 'tokens' | 'images'>;

/** Patches along a side of an image, of which none may be cut. */
function sideOf(fields: Fields, pixels: number, patch: number, joined = 1): number {
  const side = Math.floor(pixels / patch);
  if (side < 1 || (joined > 1 && side % joined !== 0))
    fields.fault(
      'patch_size',
      `An image does not divide into patches of this size, ${joined} × ${joined} merged into one.`,
    );
  return Math.max(joined, side);
}

const adjust = (tokens: number): string =>
  `Layers of the vision tower work on images of ${tokens} tokens: set their \`tokens\` and \`images\` to yours.`;

const missing: ConfiguredParts = { layers: [], remarks: [] };

/** LlamaConfig's defaults, which configurations of LLaVA leave out (`configuration_llama.py`). */
const llamaDefaults: Readonly<Record<string, number>> = table({
  ...{ hidden_size: 4096, intermediate_size: 11008, num_hidden_layers: 32, num_attention_heads: 32, vocab_size: 32000 },
});

const withDefaults = (fields: Fields, defaults: Readonly<Record<string, number>>): Fields => ({
  ...fields,
  whole: (name, more) =>
    fields.whole(
      name,
      fields.has(name) || defaults[name] === undefined ? more : { ...more, otherwise: defaults[name] },
    ),
});

/** LLaVA 1.5: CLIP, whose class token is dropped, and a projector of two products before a Llama. */
export function llava(fields: Fields, { images, pixels }: TowerSizes): ConfiguredParts {
  const [vision, text] = [fields.inner('vision_config'), fields.inner('text_config')];
  if (vision === undefined || text === undefined) return missing;
  if (vision.text('model_type') !== 'clip_vision_model' || text.text('model_type') !== 'llama') {
    fields.fault('model_type', 'Only LLaVA with CLIP and a Llama can be read.');
    return missing;
  }
  const [hidden, patch] = [vision.whole('hidden_size'), vision.whole('patch_size')];
  const patches = sideOf(vision, pixels ?? vision.whole('image_size'), patch) ** 2;
  const tower: Sequences = { tokens: patches + 1, images };
  const model = llama({})(withDefaults(text, llamaDefaults));
  const width = text.whole('hidden_size', { otherwise: llamaDefaults['hidden_size'] });
  const block = {
    ...{ hidden, heads: vision.whole('num_attention_heads'), ffn: vision.whole('intermediate_size') },
    ...{ causal: false, flash: true, dropout: false },
  };
  return {
    ...model,
    layers: [
      {
        ...{ name: 'patch', shape: 'patch_embedding', ...tower },
        args: { patch, hidden, bias: false, class_tokens: 1, positions: patches + 1, norm: 'layernorm' },
      },
      { name: 'vision', count: layerCount(vision), shape: 'transformer', args: block, ...tower },
      { name: 'normed', shape: 'norm', args: { hidden }, ...tower },
      { name: 'widen', shape: 'linear', args: { inputs: hidden, outputs: width }, tokens: patches, images },
      { name: 'project', shape: 'linear', args: { inputs: width, outputs: width }, tokens: patches, images },
      ...model.layers,
    ],
    remarks: [...model.remarks, adjust(patches + 1)],
  };
}

/** Qwen2-VL: patches of two frames, of any number, of which 2 × 2 become a token of a Qwen2. */
export function qwen2Vl(fields: Fields, { images, pixels = 448 }: TowerSizes): ConfiguredParts {
  const vision = fields.inner('vision_config');
  const text = fields.has('text_config') ? fields.inner('text_config') : fields;
  if (vision === undefined || text === undefined) return missing;
  const [hidden, patch] = [vision.whole('embed_dim'), vision.whole('patch_size', { otherwise: 14 })];
  const merge = vision.whole('spatial_merge_size', { otherwise: 2 });
  const patches = sideOf(vision, pixels, patch, merge) ** 2;
  const tower: Sequences = { tokens: patches, images };
  const merged: Sequences = { tokens: patches / merge ** 2, images };
  const model = llama({ qkvBias: true, windows: 'flag' })(text);
  const joined = hidden * merge ** 2;
  const block = {
    ...{
      hidden,
      heads: vision.whole('num_heads'),
      ffn: Math.max(1, Math.round(hidden * vision.amount('mlp_ratio', { otherwise: 4 }))),
    },
    ...{ causal: false, flash: true, dropout: false },
  };
  return {
    ...model,
    layers: [
      {
        ...{ name: 'patch', shape: 'patch_embedding', ...tower },
        args: { patch, hidden, frames: vision.whole('temporal_patch_size', { otherwise: 2 }), bias: false },
      },
      { name: 'vision', count: layerCountOf(vision, 'depth'), shape: 'transformer', args: block, ...tower },
      { name: 'normed', shape: 'norm', args: { hidden }, ...tower },
      { name: 'widen', shape: 'linear', args: { inputs: joined, outputs: joined }, ...merged },
      { name: 'project', shape: 'linear', args: { inputs: joined, outputs: text.whole('hidden_size') }, ...merged },
      ...model.layers,
    ],
    remarks: [...model.remarks, adjust(patches)],
  };
}

/**
 * Llama 3.2 Vision: tiles of an image, which attend to each other, padded to a multiple of 8 tokens each; then layers whose branches
 * are scaled. Outputs of some layers and of the last one make a token, and some layers of the language model attend to all of them.
 */
export function mllama(fields: Fields, { images }: TowerSizes): ConfiguredParts {
  const [vision, text] = [fields.inner('vision_config'), fields.inner('text_config')];
  if (vision === undefined || text === undefined) return missing;
  const [hidden, patch] = [vision.whole('hidden_size'), vision.whole('patch_size')];
  const tiles = vision.whole('max_num_tiles');
  const tokens = sideOf(vision, vision.whole('image_size'), patch) ** 2 + 1;
  const arrangements = vision.items('supported_aspect_ratios').length + 1;
  const args = {
    ...{ hidden, heads: vision.whole('attention_heads'), ffn: vision.whole('intermediate_size'), causal: false },
    ...{ qkv_bias: false, out_bias: false, flash: true, dropout: false },
  };
  const padded: Sequences = { tokens: tiles * 8 * Math.ceil(tokens / 8), images };
  const runs = splitAt(layerCount(vision), vision.wholes('intermediate_layers_indices'));
  const layers = runs.map((count, index) => ({
    ...{ name: `vision_${index}`, count, shape: 'transformer', args, ...padded },
  }));
  const taken = layers.slice(0, vision.wholes('intermediate_layers_indices').length).map(({ name }) => name);
  const width = text.whole('hidden_size');
  const block = { ...attentionOf(text, {}), ffn: text.whole('intermediate_size'), ...trunk() };
  const cross = {
    ...block,
    cross: tiles * tokens * images,
    self_attention: false,
    qk_norm: true,
    branch_scale: 'number',
  };
  const attending = new Set(text.wholes('cross_attention_layers'));
  const kinds = Array.from({ length: layerCount(text) }, (_, layer) => ({
    name: attending.has(layer) ? 'cross' : 'block',
  }));
  const model = withEnds(
    text,
    runsOf(kinds, ({ name }) => (name === 'cross' ? cross : block)).map((run) =>
      run.name.startsWith('cross') ? { ...run, attends: 'project' } : run,
    ),
    [],
  );
  const positions = tokens + arrangements * tiles * (tokens + 2);
  const inputs = vision.whole('vision_output_dim');
  return {
    layers: [
      {
        ...{ name: 'patch', shape: 'patch_embedding', tokens, images: tiles * images },
        args: { patch, hidden, bias: false, class_tokens: 1, positions, norm: 'layernorm', scales: 3 },
      },
      ...layers,
      { name: 'normed', shape: 'norm', args: { hidden }, ...padded },
      {
        ...{ name: 'global', count: layerCountOf(vision, 'num_global_layers'), shape: 'transformer', ...padded },
        args: { ...args, branch_scale: 'number' },
      },
      {
        ...{ name: 'project', shape: 'linear', args: { inputs, outputs: width } },
        ...{ tokens, images: tiles * images, after: ['global', ...taken] },
      },
      // Eight tokens more than the head has, for images.
      ...model.layers.map((layer) =>
        layer.name === 'embed'
          ? { ...layer, args: { ...layer.args, vocab: text.whole('vocab_size') + 8 }, after: [] }
          : layer,
      ),
    ],
    remarks: [...model.remarks, adjust(tokens * tiles)],
  };
}

/** Lengths of runs of `count` layers, each of which ends with a layer of the list, and what is left. */
function splitAt(count: number, ends: readonly number[]): readonly number[] {
  const cuts = [...new Set(ends)].filter((end) => end < count).sort((a, b) => a - b);
  const bounds = [-1, ...cuts, count - 1];
  return bounds.slice(1).flatMap((end, index) => (end > bounds[index] ? [end - bounds[index]] : []));
}
