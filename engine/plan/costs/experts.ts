import { ffnOf, innerPart, mlpParameters } from './feedForward.ts';
import { hiddenOf, type LayerPart, maskBytes, wholeRanks } from './layerPart.ts';
import { elementBytes } from './precision.ts';
import { flagOf, numberOf, type ShapeArguments, type ShapeParameter } from './shape.ts';
import type { LayerSetting } from './types.ts';

/** A mixture of experts in place of the MLP. It is chosen by `experts`. */
export const expertParameters: readonly ShapeParameter[] = [
  { name: 'experts', kind: 'integer', default: null, doc: 'experts that a router chooses from: a mixture of experts' },
  { name: 'experts_per_token', kind: 'integer', default: null, doc: 'experts that each token goes to' },
  { name: 'expert_ffn', kind: 'integer', default: null, doc: 'inner width of an expert; `ffn` unless said' },
  {
    name: 'shared_experts',
    kind: 'integer',
    default: 0,
    min: 0,
    doc: 'experts that every token goes to besides, as in DeepSeek-V3',
  },
  {
    name: 'router_bias',
    kind: 'boolean',
    default: false,
    doc: 'a correction of each expert in the choice, as in DeepSeek-V3',
  },
];

export const hasExperts = (args: ShapeArguments): boolean => typeof args['experts'] === 'number';

export function checkExperts(args: ShapeArguments): string | undefined {
  if (!hasExperts(args)) {
    const lone = expertParameters.find(({ name }) => name !== 'experts' && name in args);
    return lone === undefined ? undefined : `${lone.name} needs experts`;
  }
  const experts = numberOf(args, 'experts', 1);
  const chosen = numberOf(args, 'experts_per_token', 0);
  if (chosen === 0) return 'experts needs experts_per_token';
  return chosen > experts ? `experts_per_token ${chosen} is more than experts ${experts}` : undefined;
}

/**
 * Tensor ranks split the width of every expert; the router is whole on each. Tokens are taken to be spread evenly, each kept
 * once for every expert that it goes to; under sequence parallelism these copies are gathered, so they stay whole on each
 * rank. Routing keeps its probabilities in fp32. The weights of the sum are applied before the last product, so
 * the experts' outputs are not kept.
 */
export function expertsPart(args: ShapeArguments, setting: LayerSetting): LayerPart {
  const hidden = hiddenOf(args);
  const experts = numberOf(args, 'experts', 1);
  const chosen = numberOf(args, 'experts_per_token', 1);
  const shared = numberOf(args, 'shared_experts', 0);
  const width = numberOf(args, 'expert_ffn', ffnOf(args));
  const whole = wholeRanks(setting);
  const element = elementBytes(setting.precision);
  const input = (element * hidden) / whole;
  const copies = element * chosen * hidden;
  const routing = (4 * experts) / whole;
  const inner = innerPart(args, setting, width / setting.tensor);
  const used = chosen + shared;
  const router = hidden * experts + (flagOf(args, 'router_bias', false) ? experts : 0);
  return {
    parameters: router + (experts + shared) * mlpParameters(args, width),
    localParameters: router + (experts + shared) * mlpParameters(args, width / setting.tensor),
    linear: (2 * hidden * experts) / whole + used * inner.flops,
    core: 0,
    kept: input + maskBytes(args, setting) + routing + copies + used * inner.kept,
    scores: 0,
    remade: used * inner.remade,
    forWeight: input + routing + 2 * copies + used * inner.forWeight + (shared > 0 ? input : 0),
  };
}
