/** Which colours the blocks of a timeline take: shares of time are kept for these only. */
import { describe, expect, it } from 'vitest';
import { paletteFrom, themeFrom } from '../../../webview/view/scene/theme.ts';
import {
  kindCollective,
  kindForward,
  kindInput,
  kindOptimizer,
  kindRecompute,
  kindWeight,
  optimizerWord,
  syncWord,
} from '../../../webview/picture/columns.ts';
import { colouringOf, fits } from '../../../webview/worker/colouring.ts';
import { columnsFrom } from './columns.ts';

const theme = themeFrom('dark', () => '');
const chunk = new Uint8Array(8);
const operations = paletteFrom(theme, 'operation', chunk);
/** A row of an F and a B, then blocks that are no operations. */
const columns = (recompute: boolean, ...last: readonly number[]) => {
  const plain = (kind: number) => ({ kind, gap: 0, length: 1 });
  const made = columnsFrom([[plain(0), plain(1), ...last.map(() => plain(0))]], recompute);
  last.forEach((word, at) => (made.word[2 + at] = word));
  return made;
};
const used = (recompute: boolean, ...last: readonly number[]) => [
  ...colouringOf(columns(recompute, ...last), operations).used,
];

describe('the colours of operations', () => {
  it('are the parts that a block has, from forwards up', () => {
    expect(used(false)).toEqual([kindForward, kindInput, kindWeight]);
    expect(used(true)).toEqual([kindForward, kindRecompute, kindInput, kindWeight]);
  });

  it('tell the exchange of gradients from the step of the optimizer', () => {
    expect(used(false, syncWord)).toEqual([kindForward, kindInput, kindWeight, kindCollective]);
    expect(used(false, optimizerWord)).toEqual([kindForward, kindInput, kindWeight, kindOptimizer]);
    expect(used(false, syncWord, optimizerWord)).toContain(kindCollective);
  });

  it('have slots in the order in which they are stacked, and none for what is not there', () => {
    const { slots, used: colours } = colouringOf(columns(true), operations);
    expect([...colours].map((colour) => slots[colour])).toEqual([0, 1, 2, 3]);
    expect(slots[kindOptimizer]).toBe(-1);
  });
});

it('shares that are kept fit a palette with the same colours only', () => {
  const byChunk = paletteFrom(theme, 'chunk', chunk);
  const kept = colouringOf(columns(false), byChunk);
  expect(fits(kept, byChunk)).toBe(true);
  expect(fits(kept, operations)).toBe(false);
  expect(fits(kept, paletteFrom(theme, 'chunk', Uint8Array.of(1)))).toBe(false);
  // The chunks of stages do not change the colours of operations.
  expect(fits(colouringOf(columns(false), operations), paletteFrom(theme, 'operation', Uint8Array.of(1)))).toBe(true);
});
