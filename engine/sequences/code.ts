/** Expressions of a schedule, compiled: each is a function of a frame. */
import type { Dimension } from '../values/plan.ts';
import type { Range } from '../../grammar/syntax.ts';
import type { Frame } from './frame.ts';

interface CodeBase {
  /** Slots that change while a row is written and that this depends on: of a sequence, those that its length depends on. */
  readonly uses: ReadonlySet<number>;
  /** Calls on the deepest path through it. */
  readonly depth: number;
}

export interface NumberCode extends CodeBase {
  readonly kind: 'number';
  readonly dimension: Dimension;
  /** NaN where it is wrong, which has been reported. */
  readonly at: (frame: Frame) => number;
}

export interface TruthCode extends CodeBase {
  readonly kind: 'truth';
  readonly at: (frame: Frame) => boolean;
}

/** Whole numbers one after the other. */
export interface RangeCode extends CodeBase {
  readonly kind: 'range';
  /** How many there are; puts the first and the step into the frame. */
  readonly count: (frame: Frame) => number;
  readonly node: Range;
}

export interface SequenceCode extends CodeBase {
  readonly kind: 'sequence';
  /** Operations that it may write, and steps that it takes if these are more. Says so before anything is written. */
  readonly size: (frame: Frame) => number;
  /** Appends the operations to the list of the frame. */
  readonly emit: (frame: Frame) => void;
}

export type Code = NumberCode | TruthCode | RangeCode | SequenceCode;

export const none: ReadonlySet<number> = new Set();

/** Union of what parts use, without `except`. */
export function usesOf(parts: readonly Pick<Code, 'uses'>[], except?: number): ReadonlySet<number> {
  const sets = parts.map((part) => part.uses).filter((uses) => uses.size > 0);
  if (sets.length === 0) return none;
  const all = new Set<number>();
  for (const uses of sets) for (const slot of uses) if (slot !== except) all.add(slot);
  return all;
}

export const depthOf = (parts: readonly Pick<Code, 'depth'>[]): number =>
  1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0);

/** What a code gives, for `found …` in messages. */
export const kindWords: Readonly<Record<Code['kind'], string>> = {
  number: 'a number',
  truth: 'a comparison',
  range: 'a range',
  sequence: 'operations',
};
