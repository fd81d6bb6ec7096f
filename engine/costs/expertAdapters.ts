/** Adapters of experts: of those that a router chooses from, and of shared ones. */
import { expertFfnOf, type innerPart } from './feedForward.ts';
import { hiddenOf } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments } from './shape.ts';
import {
  type AdaptedProducts,
  type AdapterPart,
  adapterPart,
  inputForWeight,
  loraOf,
  sumAdapters,
} from './training.ts';
import type { LayerSetting } from './types.ts';

type Inner = ReturnType<typeof innerPart>;

/** What adapters of experts cost, and what they make a rank keep: bytes of a token. */
export interface ExpertAdapters {
  readonly adapters: AdapterPart;
  /** Input of shared experts, copies of tokens, inputs of the last products. */
  readonly input: number;
  readonly copies: number;
  readonly down: number;
  readonly remade: number;
}

/**
 * Each expert has an adapter for each target, as in PEFT, where every expert is a module. Or the experts of a rank share one, as in
 * Megatron Bridge, whose grouped product of experts is one module (`peft/utils.py`). Shared experts are one MLP with adapters as any
 * other. Experts only have adapters if targets name them.
 */
export function adaptersOfExperts(
  args: ShapeArguments,
  setting: LayerSetting,
  rank: { readonly copies: number; readonly local: number; readonly inner: Inner; readonly innerShared: Inner },
): ExpertAdapters {
  const lora = loraOf(setting);
  if (lora?.targets === undefined) return { adapters: sumAdapters([]), input: 0, copies: 0, down: 0, remade: 0 };
  const { tensor, expert, expertTensor, precision } = setting;
  const width = expertFfnOf(args);
  const element = elementBytes(precision);
  const shared = numberOf(args, 'shared_experts', 0);
  const routed = adaptedMlp(args, { ...setting, tensor: expertTensor }, width, {
    input: element * hiddenOf(args),
    inner: rank.inner,
  });
  const dense = adaptedMlp(args, setting, shared * width, {
    input: (element * hiddenOf(args)) / (setting.sequenceParallel ? tensor : 1),
    inner: rank.innerShared,
    times: shared,
  });
  const each = sumAdapters(routed.adapters);
  const onRank = lora.experts === 'shared' ? 1 : rank.local;
  const { copies } = rank;
  const ofRouted: AdapterPart = {
    parameters: each.parameters * onRank * expert,
    localParameters: each.localParameters * onRank,
    expertParameters: each.localParameters * onRank,
    linear: each.linear * copies,
    inputs: each.inputs * copies,
    sums: each.sums * copies,
    forWeight: each.forWeight * copies,
    traffic: each.traffic * copies,
    kernels: (tokens) =>
      each.kernels((tokens * copies) / onRank).map((kernel) => ({ ...kernel, count: kernel.count * onRank })),
  };
  return {
    adapters: sumAdapters([ofRouted, ...(shared > 0 ? dense.adapters : [])]),
    input: shared > 0 ? dense.input : 0,
    copies: copies * routed.input,
    down: copies * routed.down + (shared > 0 ? dense.down : 0),
    remade: copies * routed.remade + (shared > 0 ? dense.remade : 0),
  };
}

/** Adapters of one MLP of a width over all tensor ranks, and what it keeps for them. `times`: MLPs of `inner` that make it up. */
function adaptedMlp(
  args: ShapeArguments,
  setting: LayerSetting,
  width: number,
  { input, inner, times = 1 }: { readonly input: number; readonly inner: Inner; readonly times?: number },
) {
  const hidden = hiddenOf(args);
  const element = elementBytes(setting.precision);
  const into: AdaptedProducts = {
    input,
    inputs: hidden,
    outputs: { up: width, ...(flagOf(args, 'gated', false) ? { gate: width } : {}) },
  };
  const out: AdaptedProducts = { input: (element * width) / setting.tensor, inputs: width, outputs: { down: hidden } };
  // What an adapter of the last product reads may be made again, unless it is dropped out.
  const remakes = inner.remade > 0 && loraOf(setting)?.dropout !== true;
  const last = inputForWeight(setting, out);
  return {
    adapters: [adapterPart(setting, into), adapterPart(setting, out)],
    input: inputForWeight(setting, into),
    down: remakes ? 0 : last,
    remade: remakes && last > 0 ? times * inner.remade : 0,
  };
}
