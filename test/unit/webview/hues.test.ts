import { describe, expect, it } from 'vitest';
import { type Rgb, contrast, labelOn } from '../../../webview/view/scene/colour.ts';
import { kindFill, kindOfDeclared } from '../../../webview/picture/columns.ts';
import { type ThemeKind, themeFrom } from '../../../webview/view/scene/theme.ts';
import { ciede2000, labOf, type Sight, sights } from './ciede2000.ts';

const themes: readonly ThemeKind[] = ['dark', 'light', 'highContrast', 'highContrastLight'];
const all = Object.keys(sights) as Sight[];

/** Least difference over pairs of colours and over sights. */
const least = (pairs: readonly (readonly [Rgb, Rgb])[]): number =>
  Math.min(...all.flatMap((sight) => pairs.map(([a, b]) => ciede2000(labOf(a, sight), labOf(b, sight)))));
const tenths = (value: number): number => Math.round(value * 10) / 10;
const pairsOf = (colours: readonly Rgb[]) =>
  colours.flatMap((a, at) => colours.slice(at + 1).map((b) => [a, b] as const));

describe('CIEDE2000', () => {
  // Sharma, Wu and Dalal (2005), table 1: pairs 1, 7, 17, 19, 25 and 34.
  it.each([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, 2.5, 0], [56, -27, -3], 31.903],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)('agrees with the published pairs', (a, b, difference) => {
    expect(ciede2000(a, b)).toBeCloseTo(difference, 4);
  });
});

describe('hues of microbatches and versions', () => {
  // Worst difference of all pairs, worst of neighbours (7 and 0 are neighbours too), worst contrast with the ground.
  it.each([
    ['dark', 19.1, 22.7, 3.3],
    ['light', 18.3, 21.2, 3.1],
    ['highContrast', 18.6, 23.6, 5.2],
    ['highContrastLight', 18.5, 22.2, 3.1],
  ] as const)('stay apart for every sight and read on the ground, %s', (kind, pairs, neighbours, ground) => {
    const { hues, background } = themeFrom(kind, () => '');
    expect(hues).toHaveLength(8);
    expect(tenths(least(pairsOf(hues)))).toBe(pairs);
    expect(tenths(least(hues.map((hue, at) => [hue, hues[(at + 1) % 8]] as const)))).toBe(neighbours);
    expect(tenths(Math.min(...hues.map((hue) => contrast(hue, background))))).toBe(ground);
  });

  it.each(themes)('carry labels at 4.5:1, %s', (kind) => {
    const { hues } = themeFrom(kind, () => '');
    for (const hue of hues) expect(contrast(hue, labelOn(hue))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(themes)('give versions four of them that are as far apart as any, %s', (kind) => {
    const { hues, versions } = themeFrom(kind, () => '');
    expect(versions).toHaveLength(4);
    for (const version of versions) expect(hues).toContain(version);
    expect(least(pairsOf(versions))).toBeGreaterThan(18.2);
  });
});

describe('operations that a schedule declares', () => {
  // Worst difference of a pair with another operation or other work, worst contrast with the ground.
  it.each([
    ['dark', 12.5, 3.6],
    ['light', 12, 3.6],
    ['highContrast', 13.4, 3.1],
    ['highContrastLight', 11.9, 3.3],
  ] as const)('stay apart from each other and from other work for every sight, %s', (kind, pairs, ground) => {
    const { kinds, background } = themeFrom(kind, () => '');
    const [work, operations] = [kinds.slice(0, kindFill), kinds.slice(kindOfDeclared(0))];
    expect(operations).toHaveLength(6);
    const withWork = operations.flatMap((colour) => work.map((other) => [colour, other] as const));
    expect(tenths(least([...pairsOf(operations), ...withWork]))).toBe(pairs);
    expect(tenths(Math.min(...operations.map((colour) => contrast(colour, background))))).toBe(ground);
    for (const colour of operations) expect(contrast(colour, labelOn(colour))).toBeGreaterThanOrEqual(4.5);
  });
});

describe('the ring of the selection', () => {
  it.each(themes)('is white or black at full strength and stands out on every colour, %s', (kind) => {
    const { ring, background, hues, kinds } = themeFrom(kind, () => '');
    expect([
      [255, 255, 255],
      [0, 0, 0],
    ]).toContainEqual(ring);
    expect(contrast(ring, background)).toBeGreaterThan(12);
    // The line and the ground on both sides of it: one of the two differs from any block.
    for (const colour of [...hues, ...kinds])
      expect(Math.max(contrast(ring, colour), contrast(background, colour))).toBeGreaterThanOrEqual(3);
  });
});
