/** What mixes tokens in each layer: attention with all tokens before, with a window of them, or a gated delta rule. */
import type { ShapeArguments } from '../../costs/shape.ts';
import { flaggedLayers } from './layerPattern.ts';
import type { Values } from './values.ts';

export interface LayerMixer {
  readonly name: 'block' | 'windowed' | 'linear';
  readonly args: ShapeArguments;
}

/** For each layer. `trunk`: what attention has of all layers. */
export function mixersOf(
  values: Values,
  layers: number,
  trunk: ShapeArguments,
  remarks: string[],
): readonly LayerMixer[] {
  const full: LayerMixer = { name: 'block', args: trunk };
  const window = windowOf(values);
  const windowed: LayerMixer | undefined =
    window === undefined ? undefined : { name: 'windowed', args: { ...trunk, window } };
  const isWindowed =
    window === undefined ? [] : patternOf(values, 'window-attn-skip-freq', layers, remarks, 'has a window');
  const rule = deltaRule(values);
  const isRule =
    rule === undefined ? [] : patternOf(values, 'linear-attention-freq', layers, remarks, 'has a gated delta rule');
  return Array.from({ length: layers }, (_, layer) => {
    if (rule !== undefined && isRule[layer]) return rule;
    return windowed !== undefined && isWindowed[layer] ? windowed : full;
  });
}

/** Of all layers but each N-th, or of a list; of all layers without either. */
function patternOf(values: Values, name: string, layers: number, remarks: string[], does: string): readonly boolean[] {
  const text = values.word(name);
  const found =
    text === undefined ? undefined : flaggedLayers(text, layers, (layer, every) => (layer + 1) % every !== 0);
  if (text !== undefined && found === undefined)
    remarks.push(`--${name} does not give ${layers} layers, so every layer ${does}. Change them.`);
  return found ?? new Array<boolean>(layers).fill(true);
}

/** Heads of keys and values, or the widths of latent attention. `--num-query-groups` needs its switch. */
export function headsOf(values: Values, heads: number): ShapeArguments {
  const softmax = values.word('softmax-type');
  const isLatent = values.has('multi-latent-attention');
  if (softmax === 'off-by-one' || (isLatent && softmax === 'learnable')) values.leave('softmax-type');
  if (isLatent) {
    const query = values.whole('q-lora-rank');
    // Heads have widths of their parts.
    values.has('kv-channels');
    return {
      kv_lora_rank: values.whole('kv-lora-rank') ?? 32,
      ...(query === undefined ? {} : { q_lora_rank: query }),
      qk_nope_head_dim: values.whole('qk-head-dim') ?? 128,
      qk_rope_head_dim: values.whole('qk-pos-emb-head-dim') ?? 64,
      v_head_dim: values.whole('v-head-dim') ?? 128,
    };
  }
  const width = values.whole('kv-channels');
  const groups = values.has('group-query-attention') ? (values.whole('num-query-groups') ?? 1) : heads;
  return {
    ...(groups === heads ? {} : { kv_heads: groups }),
    ...(width === undefined ? {} : { head_dim: width }),
    ...(softmax === 'learnable' ? { sinks: true } : {}),
    ...(values.has('attention-output-gate') ? { output_gate: true } : {}),
  };
}

/** Tokens that a token attends to, itself among them: `--window-size 127,0` has those before it. Left of -1 there is no window. */
function windowOf(values: Values): number | undefined {
  const text = values.word('window-size');
  const before = /^\(?\s*(-?\d{1,9})\s*,\s*-?\d{1,9}\s*\)?$/.exec(text ?? '')?.[1];
  if (text !== undefined && before === undefined) values.leave('window-size');
  return before === undefined || Number(before) < 0 ? undefined : Number(before) + 1;
}

/** Sizes have the defaults of Megatron-LM. Another variant than `gdn` is left to the remarks. */
function deltaRule(values: Values): LayerMixer | undefined {
  const variant = values.word('experimental-attention-variant');
  // Sizes without a rule have no effect, and configurations print them all.
  const args: ShapeArguments = {
    heads: values.whole('linear-num-value-heads') ?? 32,
    head_dim: values.whole('linear-value-head-dim') ?? 128,
    mixer: 'delta_net',
    state: values.whole('linear-key-head-dim') ?? 128,
    groups: values.whole('linear-num-key-heads') ?? 16,
    kernel: values.whole('linear-conv-kernel-dim') ?? 4,
  };
  if (variant === 'gdn' || variant === 'gated_delta_net') return { name: 'linear', args };
  if (variant !== undefined) values.leave('experimental-attention-variant', 'linear-attention-freq');
  return undefined;
}
