/** What a rule of exchange may say: the arguments of `overlap(…)` and of the names for it, in one table. */
import type { ExchangeRule } from '../values/exchangePlan.ts';

/** A size as written: of the gradients, or a number of parameters whose gradients they are. */
export type Size = { readonly bytes: number } | { readonly parameters: number };

/** What a rule says of each argument; absent where it says nothing. */
export interface RuleArguments {
  readonly bucket?: Size | 'best';
  readonly first?: Size;
  readonly cycle?: number;
  readonly fuse?: Size;
  readonly order?: ExchangeRule['order'];
  readonly partition?: Size | 'best' | 'at_preemption';
  /** Bytes, parameters, or a number of pieces. */
  readonly credit?: Size | { readonly pieces: number } | 'best';
  readonly strict?: boolean;
  readonly ack?: number;
  readonly barrier?: boolean;
  readonly early_start?: boolean;
  readonly halves?: ExchangeRule['halves'];
}

/** How a value is read: `size` takes bytes, `credit` bytes or a plain number of pieces, `parameters` a plain number. */
export type ArgumentKind = 'size' | 'credit' | 'parameters' | 'time' | 'truth' | 'words';

export interface RuleParameter {
  readonly name: string;
  readonly kind: ArgumentKind;
  readonly doc: string;
  readonly default: string;
  /** Words that it takes, instead of a value or in addition to one. */
  readonly words?: readonly string[];
  /** Whether 0 is a value: nothing waits, nothing is collected. */
  readonly zero?: true;
}

const truth = ['true', 'false'];

export const ruleParameters: readonly RuleParameter[] = [
  {
    name: 'bucket',
    kind: 'size',
    doc: 'layers are collected, from the last to the first, until their gradients reach this size; `best`: the sizes that make the iteration shortest',
    default: 'each layer',
    words: ['best'],
    zero: true,
  },
  { name: 'first', kind: 'size', doc: 'size of the first bucket', default: 'as bucket' },
  {
    name: 'cycle',
    kind: 'time',
    doc: 'what is ready is handed over at multiples of this time after the last backward has begun',
    default: 'at once',
  },
  {
    name: 'fuse',
    kind: 'size',
    doc: 'what is ready at the end of a cycle is sent as one while it is at most this size',
    default: 'each bucket',
  },
  {
    name: 'order',
    kind: 'words',
    doc: 'what goes first: `ready` (as it gets ready), `forward` (what the next forward needs first), `tail` (what has the longest work behind it), or `tio` and `tao` (as TicTac orders pulls)',
    default: 'ready',
    words: ['ready', 'forward', 'tail', 'tio', 'tao'],
  },
  {
    name: 'partition',
    kind: 'size',
    doc: 'buckets are sent in pieces of this size. `best` finds the size that makes the iteration shortest. `at_preemption` cuts a bucket when a more urgent one gets ready',
    default: 'whole buckets',
    words: ['best', 'at_preemption'],
  },
  { name: 'slice', kind: 'parameters', doc: 'the same as `partition`, in parameters', default: 'whole buckets' },
  {
    name: 'credit',
    kind: 'credit',
    doc: 'bytes, or pieces, that are handed over before the first of them has been sent; `best`: the one that makes the iteration shortest',
    default: 'all if order = ready, otherwise one piece',
    words: ['best'],
  },
  {
    name: 'strict',
    kind: 'truth',
    doc: 'hand over only pieces that fit into the credit, and look behind one that does not',
    default: 'false',
    words: truth,
  },
  { name: 'ack', kind: 'time', doc: 'time after a piece until its credit is back', default: '0', zero: true },
  {
    name: 'barrier',
    kind: 'truth',
    doc: 'the next iteration starts when all gradients have arrived; without it, each layer waits only for its own',
    default: 'true',
    words: truth,
  },
  {
    name: 'early_start',
    kind: 'truth',
    doc: 'a layer waits for the pieces that hold it, not for its whole bucket; needs `barrier = false`',
    default: 'false',
    words: truth,
  },
  {
    name: 'halves',
    kind: 'words',
    doc: '`apart`: gradients are scattered during the backward, and gathered from the front layer on when all have been scattered',
    default: 'together',
    words: ['together', 'apart'],
  },
];

/** A value as read from a file: a word, seconds, a truth, a size, or a number of pieces. */
export type WrittenValue = string | number | boolean | Size | { readonly pieces: number };

/** The arguments of a rule by name. A word or a kind of value that a parameter does not take is left out: its reader reports it. */
export function ruleArguments(values: ReadonlyMap<string, WrittenValue>): RuleArguments {
  const word = <W extends string>(name: string, ...allowed: readonly W[]) =>
    given(
      name,
      allowed.find((candidate) => candidate === values.get(name)),
    );
  const size = (name: string) => {
    const value = values.get(name);
    return given(name, typeof value === 'object' && !('pieces' in value) ? value : undefined);
  };
  const time = (name: string) => {
    const value = values.get(name);
    return given(name, typeof value === 'number' ? value : undefined);
  };
  const truth = (name: string) => {
    const value = values.get(name);
    return given(name, typeof value === 'boolean' ? value : undefined);
  };
  const credit = values.get('credit');
  return {
    ...size('bucket'),
    ...word('bucket', 'best'),
    ...size('first'),
    ...time('cycle'),
    ...size('fuse'),
    ...word('order', 'ready', 'forward', 'tail', 'tio', 'tao'),
    ...size('partition'),
    ...word('partition', 'best', 'at_preemption'),
    ...(typeof credit === 'object' ? { credit } : word('credit', 'best')),
    ...truth('strict'),
    ...time('ack'),
    ...truth('barrier'),
    ...truth('early_start'),
    ...word('halves', 'together', 'apart'),
  };
}

const given = <V>(name: string, value: V | undefined): Readonly<Record<string, V>> =>
  value === undefined ? {} : { [name]: value };
