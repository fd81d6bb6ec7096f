import { expect, it } from 'vitest';
import { pack, packedHas, packedLength, unpack } from '../../../engine/basics/packed.ts';
import * as fc from '../../support/property.ts';

const numbers = fc.oneof(
  fc.array(fc.nat(1)),
  fc.array(fc.nat(63)),
  fc.array(fc.nat(5000)),
  fc.array(fc.nat(2 ** 31 - 1)),
  fc.array(fc.tuple(fc.nat(2 ** 31 - 1), fc.nat(30))).map((runs) => runs.flatMap(([n, count]) => Array(count).fill(n))),
);

it('unpacks what it packed, whatever the numbers', () => {
  fc.assert(
    fc.property(numbers, (list) => {
      const text = pack(list);
      expect(Array.from(unpack(text))).toEqual(list);
      expect(packedLength(text)).toBe(list.length);
      for (const number of [...list.slice(0, 3), 0, 14, 63, 64, 5000])
        expect(packedHas(text, number)).toBe(list.includes(number));
      expect(JSON.stringify(text)).not.toContain('\\');
    }),
  );
});

it('packs a part of a longer list, and lists that are longer than what is written at a time', () => {
  expect(unpack(pack(Int32Array.of(3, 1, 4, 1, 5), 3))).toEqual(Int32Array.of(3, 1, 4));
  for (const most of [64, 4096, 262_144, 2 ** 30]) {
    const long = Int32Array.from({ length: 9001 }, (_, at) => (at * 2_654_435_761) % most);
    expect(unpack(pack(long))).toEqual(long);
  }
});

it('takes a number a character, or less where numbers repeat', () => {
  expect(pack(Array.from({ length: 1000 }, (_, at) => at % 64))).toHaveLength(1001);
  expect(pack(new Uint8Array(1000))).toBe('r0*1000');
});
