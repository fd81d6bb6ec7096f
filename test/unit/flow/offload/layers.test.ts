import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { mostOffloaded, type OffloadedLayer, offloadStage } from '../../../../engine/costs/offload.ts';

const equal = (count: number, layer: Partial<OffloadedLayer> = {}): readonly OffloadedLayer[] =>
  Array.from({ length: count }, () => ({
    forward: 10,
    backward: 20,
    input: 10,
    activation: 100,
    activationForWeight: 100,
    counted: true,
    ...layer,
  }));

/**
 * n equal layers of which k are offloaded, r = n − k. If r > 1, a copy hides if it takes no longer than a layer. Longer ones follow each other,
 * from the end of the first layer to the start of the last: the pass takes two layers and all copies. With r = 1 every layer waits for the copy
 * before it.
 */
const exposed = (layers: number, away: number, seconds: number, copy: number): number =>
  layers - away === 1 ? away * copy : Math.max(0, 2 * seconds + away * copy - layers * seconds);

describe('equal layers', () => {
  test('hide copies that are shorter than a layer, and are longer by the rest of others', () => {
    for (let layers = 2; layers <= 8; layers += 1)
      for (let away = 1; away < layers; away += 1)
        for (const copy of [1, 9, 10, 11, 20, 21, 50]) {
          const found = offloadStage(equal(layers), away, { bandwidth: 100 / copy, latency: 0 });
          expect(found?.forward, `${away} of ${layers}, ${copy}`).toBeCloseTo(exposed(layers, away, 10, copy), 9);
          expect(found?.backward).toBeCloseTo(exposed(layers, away, 20, copy), 9);
          // An input gradient is as long as a forward here.
          expect(found?.input).toBeCloseTo(exposed(layers, away, 10, copy), 9);
          expect(found?.busy).toBeCloseTo(away * copy, 9);
        }
  });

  test('never have more layers on the device than stay there', () => {
    for (let layers = 2; layers <= 8; layers += 1)
      for (let away = 1; away < layers; away += 1)
        expect(offloadStage(equal(layers), away, { bandwidth: 1, latency: 0 })).toMatchObject({
          members: Array.from({ length: away }, (_, index) => index),
          bytes: 100 * away,
          passing: 0,
        });
  });

  test('take the latency of the link for each copy', () => {
    expect(offloadStage(equal(4), 3, { bandwidth: 100, latency: 2 })).toMatchObject({
      busy: 9,
      forward: 9,
      backward: 9,
    });
  });

  test('keep the last one on the device', () => {
    expect(mostOffloaded(4)).toBe(3);
    expect(offloadStage(equal(4), 20, { bandwidth: 1, latency: 0 })?.members).toEqual([0, 1, 2]);
    expect(offloadStage(equal(1), 1, { bandwidth: 1, latency: 0 })).toBeUndefined();
    expect(offloadStage([], 1, { bandwidth: 1, latency: 0 })).toBeUndefined();
  });

  test('of which only some are counted', () => {
    const [layer] = equal(1);
    const other = { ...layer, counted: false };
    expect(offloadStage([other, layer, layer, other], 2, { bandwidth: 1, latency: 0 })?.members).toEqual([1]);
    // What keeps nothing has nothing to copy.
    const empty = { ...layer, activation: 0 };
    expect(offloadStage([empty, layer, layer], 2, { bandwidth: 1, latency: 0 })?.members).toEqual([1]);
  });
});

const time = fc.integer({ min: 1, max: 40 });
const layer = fc.record({
  forward: time,
  backward: time,
  input: time,
  activation: fc.integer({ min: 1, max: 200 }),
  activationForWeight: fc.integer({ min: 0, max: 200 }),
  counted: fc.boolean(),
});
const stages = fc.record({
  layers: fc.array(layer, { minLength: 1, maxLength: 10 }),
  wanted: fc.integer({ min: 1, max: 10 }),
  bandwidth: fc.constantFrom(1, 3, 10, 100),
  latency: fc.constantFrom(0, 1, 7),
});

/** Ends of runs and copies of one pass by what each waits for: the longest paths through a graph. */
function paths(
  layers: readonly OffloadedLayer[],
  counted: readonly number[],
  away: number,
  copy: (index: number) => number,
) {
  const stay = counted.length - away;
  const known = new Map<string, number>();
  const memo = (key: string, make: () => number): number => {
    const found = known.get(key) ?? make();
    known.set(key, found);
    return found;
  };
  const start = (index: number): number =>
    Math.max(index > 0 ? ran(index - 1) : 0, left(counted.indexOf(index) - stay, counted.includes(index)));
  const ran = (index: number): number => memo(`F${index}`, () => start(index) + layers[index].forward);
  const left = (number: number, waits = true): number =>
    !waits || number < 0 || number >= away
      ? 0
      : memo(`E${number}`, () => Math.max(ran(counted[number]), left(number - 1)) + copy(counted[number]));
  const startBack = (index: number): number =>
    Math.max(index + 1 < layers.length ? ranBack(index + 1) : 0, loaded(counted.indexOf(index)));
  const ranBack = (index: number): number => memo(`B${index}`, () => startBack(index) + layers[index].backward);
  const startLoad = (number: number): number => Math.max(ranBack(counted[number + stay]), loaded(number + 1));
  const loaded = (number: number): number =>
    number < 0 || number >= away ? 0 : memo(`L${number}`, () => startLoad(number) + copy(counted[number]));
  return { start, ran, left, startBack, ranBack, startLoad, loaded };
}

test('a copy waits for its layer and the copy before it, and a layer for the copy that makes room', () => {
  fc.assert(
    fc.property(stages, ({ layers, wanted, bandwidth, latency }) => {
      const counted = layers.flatMap((each, index) => (each.counted ? [index] : []));
      const found = offloadStage(layers, wanted, { bandwidth, latency });
      const away = Math.min(wanted, Math.max(0, counted.length - 1));
      expect(found?.members.length ?? 0).toBe(away);
      if (found === undefined) return;
      const copy = (index: number) => latency + layers[index].activation / bandwidth;
      const { ran, left, ranBack } = paths(layers, counted, away, copy);
      const sum = (of: (each: OffloadedLayer) => number) => layers.reduce((all, each) => all + of(each), 0);
      const last = ran(layers.length - 1);
      expect(found.forward).toBeCloseTo(last - sum((each) => each.forward), 9);
      expect(found.backward).toBeCloseTo(ranBack(0) - sum((each) => each.backward), 9);
      // The forward ends after its copies: no other operation meets them.
      for (let number = 0; number < away; number += 1) expect(left(number)).toBeLessThanOrEqual(last);
    }),
    { numRuns: 300 },
  );
});

test('what is on the device at any moment is at most what stays, and what passes', () => {
  fc.assert(
    fc.property(stages, ({ layers, wanted, bandwidth, latency }) => {
      const counted = layers.flatMap((each, index) => (each.counted ? [index] : []));
      const found = offloadStage(layers, wanted, { bandwidth, latency });
      if (found === undefined) return;
      const away = found.members.length;
      const { start, left, startBack, ranBack, startLoad } = paths(
        layers,
        counted,
        away,
        (index) => latency + layers[index].activation / bandwidth,
      );
      const stays = layers.reduce(
        (sum, { activation }, index) => (found.members.includes(index) ? sum : sum + activation),
        0,
      );
      const held = (from: (index: number) => number, to: (index: number) => number) => {
        const spans = layers.map(({ activation }, index) => ({ from: from(index), to: to(index), activation }));
        return Math.max(
          ...spans.map((at) =>
            spans.reduce((sum, each) => (each.from <= at.from && at.from < each.to ? sum + each.activation : sum), 0),
          ),
        );
      };
      const member = (index: number) => found.members.indexOf(index);
      const forward = held(start, (index) => (member(index) < 0 ? Infinity : left(member(index))));
      const backward = held((index) => (member(index) < 0 ? -1 : startLoad(member(index))), ranBack);
      expect(forward).toBeLessThanOrEqual(stays + found.passing + 1e-9);
      expect(backward).toBeLessThanOrEqual(stays + found.passing + 1e-9);
      // Loads begin as soon as there is room, so a backward that waits for no load fills it.
      if (found.passing > 0 && found.busy === 0) expect(backward).toBe(stays + found.passing);
      expect(startBack(layers.length - 1)).toBe(0);
    }),
    { numRuns: 300 },
  );
});
