/** What `sync = local(…)` may say: islands of data ranks train by themselves, and share what they learned once in a while. */

export const outerWords = ['nesterov', 'average'] as const;
export type Outer = (typeof outerWords)[number];
export const backupWords = ['host', 'device'] as const;

export interface LocalParameter {
  readonly name: 'steps' | 'fragments' | 'outer' | 'delay' | 'bits' | 'islands' | 'backup';
  readonly doc: string;
  /** Absent: a file must say it. */
  readonly default?: string;
  readonly words?: readonly string[];
}

export const localRule = {
  name: 'local',
  doc: 'DiLoCo: islands of data ranks update their weights by themselves. Every `steps` updates they share what changed, and an outer optimizer applies the mean. With `fragments` a part of the weights takes its turn (Streaming DiLoCo). Inside an island gradients are exchanged as with `overlap`.',
  source: 'Douillard et al., DiLoCo, arXiv:2311.08105, Streaming DiLoCo, arXiv:2501.18512, and torchft/local_sgd.py',
};

export const localParameters: readonly LocalParameter[] = [
  { name: 'steps', doc: 'updates between two exchanges of the same weights' },
  { name: 'fragments', doc: 'parts of the weights that take turns; a divisor of `steps`', default: '1' },
  {
    name: 'outer',
    doc: '`nesterov`: the mean change goes through momentum, as in DiLoCo. `average`: weights become their mean, as in local SGD',
    default: 'nesterov',
    words: outerWords,
  },
  {
    name: 'delay',
    doc: 'updates that go on while a fragment is exchanged; fewer than `steps` divided by `fragments`',
    default: '0',
  },
  { name: 'bits', doc: 'bits of each element that is exchanged: 4, 8, 16 or 32', default: '32' },
  {
    name: 'islands',
    doc: 'parts of the data ranks that train by themselves',
    default: 'one for each data rank, or for each group of `over`',
  },
  {
    name: 'backup',
    doc: 'where the weights of the last exchange are: in the memory of the `host`, or of the `device`',
    default: 'host',
    words: backupWords,
  },
];

/** `sync = local(…)`, with what the file leaves open. */
export interface LocalUse {
  readonly steps: number;
  readonly fragments: number;
  readonly outer: Outer;
  readonly delay: number;
  readonly bits: number;
  readonly islands?: number;
  readonly backup: (typeof backupWords)[number];
}
