/**
 * What each kind of value is: how its names are looked up, what messages call them, what completion offers.
 * A new kind is a row here and its reader in `engine/read/`; its functions, if it has any, are rows of `functions.ts`.
 */
import { lossWords } from '../costs/loss.ts';
import type { Dimension } from '../values/plan.ts';
import type { SymbolKind } from './resolution.ts';

/** A word that a key takes, such as `bf16`. */
export interface Word {
  readonly name: string;
  readonly doc: string;
}

/** How a name without parentheses or brackets is looked up. */
type NameLookup =
  /** Nothing is known of it. */
  | 'nothing'
  /** A word, or the name of a function, whose reader then asks for its arguments. */
  | 'word'
  /** A word, or a number that the file names. */
  | 'word or number'
  | 'layer'
  | 'function'
  | 'function or number'
  | 'declaration'
  /** Declarations and functions share names; a declaration of the right kind comes first. */
  | 'declaration or function'
  /** A declaration; the name of a function is left to the reader, which asks for its arguments. */
  | 'declaration, no function';

/** How arguments of a function are looked up: `unread` ones are texts, `items` are values of the same kind. */
type ArgumentLookup = 'values' | 'unread' | 'operation kinds' | 'declarations' | 'items';

type Offered = 'words' | 'numbers' | 'layers' | 'declarations' | 'functions' | 'targets';

/** Names that the language gives a meaning before `[…]`. */
export interface Targets {
  /** What a message calls such a name. */
  readonly noun: string;
  readonly names: readonly Word[];
  /** An index to begin with. */
  readonly example?: string;
}

export interface ValueKind {
  readonly names: NameLookup;
  /** What completion offers, in this order. */
  readonly offers: readonly Offered[];
  /** Words that can be the whole value, in addition to the words that a key lists. */
  readonly words?: readonly Word[];
  /** Declarations that a name may mean; a key of the kind `name` says which. */
  readonly declares?: SymbolKind;
  readonly targets?: Targets;
  /** What a message calls a function of this kind. If absent, the kind has none, and functions of any expression are allowed. */
  readonly functions?: string;
  /** Which symbols its functions are; default: `function`. */
  readonly symbols?: 'policy' | 'function';
  /** The key that takes a built-in schedule, which this value does not. */
  readonly schedulesIn?: string;
  /** Another key of the block and the kind of its value: its functions are often written here by mistake. */
  readonly elsewhere?: { readonly key: string; readonly kind: 'gradientSync' | 'collective' };
  /** Its functions are allowed in every part of it, between functions of any expression. */
  readonly throughout?: boolean;
  /** Its functions are also allowed in any expression, and functions of any expression in it. */
  readonly inExpressions?: boolean;
  /** Kinds whose functions it takes, too. */
  readonly also?: readonly ('operations' | 'guard')[];
  /** Default: `values`. */
  readonly arguments?: ArgumentLookup;
  /** Arguments are written by name, so completion offers no value in their place. */
  readonly argumentsByName?: boolean;
  /** Page of the documentation that derives its functions. */
  readonly page?: string;
  /** Dimension of the first term and of what is added to it. */
  readonly units?: { readonly first: Dimension; readonly added: Dimension };
}

const devices: Targets = {
  noun: 'device',
  example: '0',
  names: [
    { name: 'gpu', doc: 'Devices of the cluster, by running number over all nodes.' },
    { name: 'node', doc: 'Nodes of the cluster, from 0.' },
  ],
};

/** Kinds of operations that a file writes: in rows as `F[0]`, in an order as `F`. */
export const operations: Targets = {
  noun: 'operation',
  names: [
    { name: 'F', doc: 'Forward pass of one microbatch.' },
    { name: 'B', doc: 'Whole backward pass of one microbatch.' },
    {
      name: 'I',
      doc: 'Input gradient of one microbatch: the part of the backward that the stage before waits for.',
    },
    { name: 'W', doc: 'Weight gradient of one microbatch: the part of the backward that nothing waits for.' },
    {
      name: 'R',
      doc: 'Recomputation of one microbatch as a separate operation, between its forward and its backward.',
    },
    {
      name: 'U',
      doc: 'Update of the weights of a stage, after the backward of this microbatch. Only in rows with asynchronous `weights`.',
    },
    {
      name: 'E',
      doc: 'Sends the activations of one microbatch away, after its forward: `E[j, to = host]`, or `to` another device.',
    },
    { name: 'L', doc: 'Brings the activations of one microbatch back that E has sent away, before its backward.' },
  ],
};

/** `F[0]` for `F0`: the preview names operations without brackets. For `F`, of all microbatches. Undefined for other names. */
export function operationMeant(name: string): string | undefined {
  const [, kind, microbatch] = /^([A-Z])(?:0*(\d+))?$/.exec(name) ?? [];
  if (!operations.names.some((each) => each.name === kind)) return undefined;
  return `${kind}[${microbatch ?? '0..<microbatches'}]`;
}

const placements: readonly Word[] = [
  { name: 'linear', doc: 'Stage s on device s.' },
  { name: 'v_shape', doc: 'Two stages a device: down the devices, then back up.' },
  { name: 'bidirectional', doc: 'Two copies of every stage: one down the devices, one up.' },
];

/** What may be recomputed; `full` and `modules` are functions. */
export const recomputeWords: readonly Word[] = [
  { name: 'none', doc: 'Keep every activation until the backward pass.' },
  { name: 'selective', doc: 'Make the attention scores again in the backward pass; keep the rest.' },
  {
    name: 'stage',
    doc: 'Keep only the input of the stage and recompute its whole forward in the backward pass, as GPipe does.',
  },
  {
    name: 'operations',
    doc:
      'Keep the outputs of every other product, of attention and of exchanges between devices, and recompute the rest of each layer. ' +
      'This is the selective mode of torchtitan.',
  },
];

/** Operations, and numbers between them. */
const ofOperations = {
  names: 'word or number',
  offers: ['targets', 'functions', 'numbers'],
  targets: operations,
  functions: 'function',
  arguments: 'items',
} as const satisfies ValueKind;

const rows = {
  quantity: { names: 'word or number', offers: ['words', 'numbers', 'functions'] },
  words: { names: 'word', offers: ['words'] },
  /** The name of a declaration. */
  name: { names: 'declaration', offers: ['declarations'] },
  /** Layers of the model: `embed, block[0..10]`, or in a list. */
  layers: { names: 'layer', offers: ['layers'] },
  shape: {
    names: 'function or number',
    offers: ['functions'],
    functions: 'shape',
    argumentsByName: true,
    page: 'costs/parameters-and-flops.md',
  },
  /** Layers of another file: `profile("graph.txt")`. */
  source: {
    names: 'declaration, no function',
    offers: ['declarations', 'functions'],
    declares: 'model',
    functions: 'source of layers',
    arguments: 'unread',
  },
  /** Another device, or a device of another file: `h100`, `system("a100_80g.json")`. */
  system: {
    names: 'declaration, no function',
    offers: ['declarations', 'functions'],
    declares: 'device',
    functions: 'source of a device',
    arguments: 'unread',
  },
  /** How a head computes its loss: `chunked(8)` in the place of a word. */
  loss: {
    names: 'word',
    offers: ['words', 'functions'],
    words: lossWords,
    functions: 'way to compute the loss',
    page: 'costs/activations.md',
  },
  cut: { names: 'function or number', offers: ['functions'], functions: 'function' },
  schedule: {
    names: 'declaration or function',
    offers: ['declarations', 'functions'],
    declares: 'schedule',
    functions: 'policy',
    symbols: 'policy',
  },
  devices: { names: 'word or number', offers: ['targets'], targets: devices },
  /** `25GB/s + 5us` */
  link: {
    names: 'word or number',
    offers: ['numbers', 'functions'],
    functions: 'function',
    inExpressions: true,
    units: { first: 'bandwidth', added: 'time' },
  },
  /** `fp8`, `fp8(recipe = blockwise)`. */
  activations: {
    names: 'function',
    offers: ['functions'],
    functions: 'format of activations',
    argumentsByName: true,
  },
  /** `true`, `false`, `lora(rank = 16)`. */
  trainable: {
    names: 'word',
    offers: ['words', 'functions'],
    words: [
      { name: 'true', doc: 'All weights train.' },
      { name: 'false', doc: 'No weight trains: no weight gradient, no gradients, no optimizer state.' },
    ],
    functions: 'way to train',
    argumentsByName: true,
  },
  /** Tokens of all training, or by microbatch: numbers, a list, `lognormal(mean = 3000, sigma = 0.6, seed = 1)`. */
  lengths: {
    names: 'word or number',
    offers: ['numbers', 'functions'],
    functions: 'distribution',
    throughout: true,
    argumentsByName: true,
    units: { first: 'tokens', added: 'tokens' },
  },
  optimizer: { names: 'function', offers: ['functions'], functions: 'optimizer' },
  /** A word, `full(layers = 4)`, `modules(mlp)`. */
  recompute: {
    names: 'word',
    offers: ['words', 'functions'],
    words: recomputeWords,
    functions: 'mode of recomputation',
    page: 'costs/activations.md',
  },
  /** `activations(layers = 20)` */
  offload: {
    names: 'function',
    offers: ['functions'],
    functions: 'kind of data to offload',
    argumentsByName: true,
    page: 'costs/activations.md',
  },
  placement: { names: 'word', offers: ['words', 'functions'], words: placements, functions: 'function' },
  transfer: { names: 'function', offers: ['functions'], functions: 'transfer' },
  workerSync: { names: 'function', offers: ['functions'], functions: 'way to synchronise' },
  gradientSync: {
    names: 'function',
    offers: ['functions'],
    functions: 'rule of exchange',
    elsewhere: { key: 'collective', kind: 'collective' },
  },
  collective: {
    names: 'function',
    offers: ['functions'],
    functions: 'collective',
    elsewhere: { key: 'sync', kind: 'gradientSync' },
  },
  /** `trace("traces/")` */
  run: { names: 'function', offers: ['functions'], functions: 'recorded run' },
  /** A model, or `inference(NAME)`, `training(NAME)`. */
  fill: {
    names: 'declaration',
    offers: ['declarations', 'functions'],
    declares: 'model',
    functions: 'function',
    arguments: 'declarations',
  },
  /** `greedy(prefer = [B, F])` */
  order: {
    schedulesIn: 'from',
    names: 'function or number',
    offers: ['functions'],
    functions: 'function',
    argumentsByName: true,
    arguments: 'operation kinds',
  },
  operations: ofOperations,
  /** What a `let` of a schedule stands for: numbers, operations, and what a device knows while a rule runs. */
  member: { ...ofOperations, also: ['operations', 'guard'] },
  /** Conditions of a rule: numbers, and what a device knows while it runs. */
  guard: {
    names: 'word or number',
    offers: ['functions', 'numbers'],
    functions: 'function',
    throughout: true,
  },
  /** Time or bytes of an operation that a schedule declares. */
  cost: {
    names: 'word or number',
    offers: ['words', 'numbers', 'functions'],
    words: [
      { name: 'weights', doc: 'Bytes of the weights of its stage.' },
      { name: 'gradients', doc: 'Bytes of the gradients of its stage.' },
      { name: 'activation', doc: 'Bytes that a forward of its stage leaves for the backward.' },
    ],
    functions: 'function',
    throughout: true,
  },
  /** Duration of an operation: numbers, and what its layers take. */
  duration: {
    names: 'word or number',
    offers: ['functions', 'numbers'],
    functions: 'function',
    throughout: true,
    units: { first: 'time', added: 'time' },
  },
  /** Names in it are not looked up. */
  any: { names: 'nothing', offers: [] },
} as const satisfies Readonly<Record<string, ValueKind>>;

export type ValueKindName = keyof typeof rows;

/** Kinds by name. */
export const valueKinds: Readonly<Record<ValueKindName, ValueKind>> = rows;

/** Which functions are allowed in a place; `value`: functions of any expression. */
export type FunctionContext =
  | 'value'
  | {
      [Name in ValueKindName]: (typeof rows)[Name] extends { readonly functions: string } ? Name : never;
    }[ValueKindName];

/** What is allowed where no key says more: in a `let`, between brackets. */
const expression: ValueKind = { names: 'word or number', offers: ['numbers', 'functions'] };

/** The row of a value; of any expression if there is no schema. */
export const valueKindOf = (schema: { readonly kind: ValueKindName } | undefined): ValueKind =>
  schema === undefined ? expression : valueKinds[schema.kind];

/** Which functions are allowed in a value. */
export const functionContext = (schema: { readonly kind: ValueKindName } | undefined): FunctionContext =>
  schema !== undefined && hasFunctions(schema.kind) ? schema.kind : 'value';

const hasFunctions = (name: ValueKindName): name is Exclude<FunctionContext, 'value'> =>
  valueKinds[name].functions !== undefined;
