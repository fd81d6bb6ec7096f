import { amount, excludesSome, share } from '../basics/quantities.ts';
import { type BubbleHelp, helpWords, type Untried, untriedWords } from './bubbleHelp.ts';

/** What `schedule/bubble` says; shares of 1. */
export interface BubbleParameters {
  readonly bubble: number;
  readonly causes: readonly (readonly [string, number])[];
  readonly bound: number;
  /** The memory that the bound is within, in words; only if memory raises it. */
  readonly within?: string;
  /** The orders that the bound is for, if they are not all: `order with whole backwards`. */
  readonly orders?: string;
  /** The best first. */
  readonly help: readonly BubbleHelp[];
  readonly untried?: Untried;
  /** A rule orders the exchange of gradients. */
  readonly exchange?: true;
  /** The microbatch that takes longest, and its time over the mean; only if different microbatches are a cause. */
  readonly longest?: { readonly microbatch: number; readonly tokens: number; readonly time: number };
}

export const bubbleWords = (p: BubbleParameters): string =>
  [
    `Devices idle ${share(p.bubble)} of the iteration: ${p.causes.map(([name, value]) => `${name} ${share(value)}`).join(', ')}.`,
    ...(p.longest === undefined
      ? []
      : [
          `Microbatch ${p.longest.microbatch} has ${p.longest.tokens.toLocaleString('en-US')} tokens and takes ${amount(Number(p.longest.time.toPrecision(3)))} times the mean: pack the samples to microbatches that take equally long.`,
        ]),
    ...(excludesSome(p.bound)
      ? [
          `With these stages${p.exchange ? ' and this `sync`' : ''}${p.within === undefined ? '' : `, within ${p.within},`} no ${p.orders ?? 'order'} can go below ${share(p.bound)}.`,
        ]
      : []),
    ...(p.help.length > 0 ? [helpWords(p.help, excludesSome(p.bound))] : []),
    ...(p.untried === undefined ? [] : [untriedWords(p.untried)]),
  ].join(' ');
