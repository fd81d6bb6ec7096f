/** What a key takes, in words: its type, range and default. Its page, hovers and `explain` have the same text. */
import { bytesLiteral } from '../basics/quantities.ts';
import type { Dimension } from '../values/plan.ts';
import type { ValueKindName } from './kinds.ts';
import { wordsOf, type KeySchema } from './schema.ts';

/** Whether a block needs the key. */
export const isRequired = ({ default: usual }: KeySchema): boolean =>
  typeof usual === 'object' && 'required' in usual && usual.required;

/** What a file writes to say the default; `undefined` if no value says it. */
export function defaultValue({ default: usual }: KeySchema): string | undefined {
  if (typeof usual === 'string') return usual;
  return 'value' in usual ? usual.value : undefined;
}

/** `` `1` ``, `no limit`: what completes "Default: …". */
export function defaultText({ default: usual }: KeySchema): string {
  if (typeof usual === 'string') return `\`${usual}\``;
  if ('value' in usual) return `\`${usual.value}\`, or ${usual.or}`;
  return 'otherwise' in usual ? usual.otherwise : 'none, it is required';
}

const ofDimension: Readonly<Record<Dimension, string>> = {
  number: 'number',
  share: 'share',
  time: 'time',
  bytes: 'bytes',
  bandwidth: 'bandwidth',
  compute: 'compute rate',
  flops: 'FLOPs',
  rate: 'rate',
  tokens: 'tokens',
};

const ofKind: Readonly<Record<Exclude<ValueKindName, 'quantity' | 'words' | 'name'>, string>> = {
  layers: 'layers of the model',
  shape: 'shape',
  source: 'name of a model, or a source of layers',
  system: 'name of a device, or a source of one',
  loss: 'word or function',
  cut: 'function',
  schedule: 'policy, or the name of a schedule',
  devices: 'devices of the cluster',
  link: 'bandwidth + latency',
  activations: 'number format',
  trainable: 'word or function',
  lengths: 'tokens, a list or a distribution',
  optimizer: 'optimizer',
  recompute: 'word or function',
  offload: 'function',
  placement: 'word, function or list',
  transfer: 'word or function',
  workerSync: 'function',
  gradientSync: 'rule of exchange',
  collective: 'collective',
  run: 'recorded run',
  fill: 'name of a model, or a function',
  order: 'function',
  operations: 'expression',
  member: 'expression',
  guard: 'conditions',
  cost: 'expression',
  duration: 'expression of times',
  any: 'block',
};

/** `whole number`, `name of a model`, `bytes or a word`. */
export function typeText({ value, list }: KeySchema): string {
  const several = list === true ? ', or several with commas' : '';
  if (value.kind === 'words') return `word${several}`;
  if (value.kind === 'name') return `name of a ${value.of}${several}`;
  if (value.kind !== 'quantity') return `${ofKind[value.kind]}${several}`;
  const one = value.integer === true ? 'whole number' : ofDimension[value.dimension];
  const other = [...(value.orTokens === true ? ['tokens'] : []), ...(value.words === undefined ? [] : ['a word'])];
  return `${[one, ...other].join(' or ')}${several}`;
}

const written: Readonly<Record<Dimension, (value: number) => string>> = {
  number: String,
  share: (value) => `${value * 100} %`,
  time: (value) => `${value} s`,
  bytes: bytesLiteral,
  bandwidth: (value) => `${value} B/s`,
  compute: (value) => `${value} FLOPS`,
  flops: (value) => `${value} FLOP`,
  rate: (value) => `${value} /s`,
  tokens: (value) => `${value} tok`,
};

/** `at least 1`, `above 0 %, at most 100 %`; `undefined` if any value is allowed, or if words name them all. */
export function rangeText({ value }: KeySchema): string | undefined {
  if (value.kind !== 'quantity') return undefined;
  const { dimension, min, max, above } = value;
  const parts = [
    ...(above === undefined ? [] : [`above ${written[dimension](above)}`]),
    ...(min === undefined ? [] : [`at least ${written[dimension](min)}`]),
    ...(max === undefined ? [] : [`at most ${written[dimension](max)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** The whole text of a key: what it means, what it takes, and its default. */
export function keyText(key: KeySchema): string {
  const range = rangeText(key);
  const choice = wordsOf(key.value).map(({ name }) => `\`${name}\``);
  return [
    key.doc,
    choice.length > 1 ? `One of ${choice.join(', ')}.` : '',
    `Type: ${typeText(key)}.`,
    range === undefined ? '' : `Range: ${range}.`,
    isRequired(key) ? 'Required.' : `Default: ${defaultText(key)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
