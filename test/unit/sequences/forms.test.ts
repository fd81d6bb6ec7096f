import { describe, expect, it } from 'vitest';
import { div, mod } from '../../../engine/language/arithmetic.ts';
import * as fc from '../../support/property.ts';
import { planOf } from '../../support/resolve.ts';
import { pipelineOf, rowOf, written } from './written.ts';

describe('ranges', () => {
  it.each([
    ['F[0..3]', 'F0 F1 F2 F3'],
    ['F[0..<3]', 'F0 F1 F2'],
    ['F[0..<4 step 2]', 'F0 F2'],
    ['F[0..4 step 2]', 'F0 F2 F4'],
    ['F[1..<8 step 3]', 'F1 F4 F7'],
    ['F[1..7 step 3]', 'F1 F4 F7'],
    ['B[3..0 step -1]', 'B3 B2 B1 B0'],
    ['B[3..<0 step -1]', 'B3 B2 B1'],
    ['B[7..0 step -2]', 'B7 B5 B3 B1'],
    ['B[microbatches-1..0 step -1]', 'B3 B2 B1 B0'],
    ['F[0..3 step -1], F[3..0 step 2], F[2..<2], F[0..-1], B[0]', 'B0'],
  ])('%s', (items, row) => {
    expect(rowOf(items)).toBe(row);
  });
});

describe('sequences', () => {
  it.each([
    ['each(j in 0..<3, F[j], B[j])', 'F0 B0 F1 B1 F2 B2'],
    ['each(j in 4..0 step -2, F[j])', 'F4 F2 F0'],
    ['each(a in 0..1, each(b in 0..a, F[10 * a + b]), W[a])', 'F0 W0 F10 F11 W1'],
    ['each(j in 0..<0, F[j]), I[1]', 'I1'],
    ['take(2, F[0..3])', 'F0 F1'],
    ['take(9, F[0..1]), take(0, B[0..1])', 'F0 F1'],
    ['drop(2, F[0..3])', 'F2 F3'],
    ['drop(9, F[0..1]), drop(0, B[0..1])', 'B0 B1'],
    ['take(1, drop(1, each(j in 0..2, F[j], B[j])))', 'B0'],
    ['W[0], take(1, F[5..6]), drop(1, B[7..8])', 'W0 F5 B8'],
    ['take(2, [fused(F[0..1], B[0..1]), F[2]])', 'F0& B0 F1& B1'],
    ['drop(1, [fused(F[0..1], B[0..1]), F[2]])', 'F1& B1 F2'],
    ['zip(fused(F[0..1], B[0..1]), I[0..2])', 'F0& B0 I0 F1& B1 I1 I2'],
    ['zip(F[0..2], B[0..2])', 'F0 B0 F1 B1 F2 B2'],
    ['zip(F[0], B[0..2])', 'F0 B0 B1 B2'],
    ['zip(F[0..2], B[0])', 'F0 B0 F1 F2'],
    ['zip(F[0..2], B[0..1], I[0])', 'F0 B0 I0 F1 B1 F2'],
    ['zip(F[0..<0], B[0])', 'B0'],
    ['repeat(2, F[0], zip(B[0], I[0..1]))', 'F0 B0 I0 I1 F0 B0 I0 I1'],
    ['[F[0], [B[1]], []]', 'F0 B1'],
    ['if(d == 0, F[0], B[0])', 'F0'],
    ['if(d == 0, F[0]), B[0]', 'F0 B0'],
    ['if(d > 0, F[0]), B[0]', 'B0'],
    ['zip(F[0..<2], if(d > 0, B[0..<2]))', 'F0 F1'],
    ['if(d != 0, F[0], [])', ''],
    ['each(j in 0..3, if(mod(j, 2) == 0, F[j], B[j]))', 'F0 B1 F2 B3'],
    ['F[if(d == 0, 7, 8)], F[if(d > 0, 1 / d, 3)]', 'F7 F3'],
    ['F[max(1, 2, 3)], F[min(2, microbatches)], F[ceil(1.5)], F[abs(-4)], F[sqrt(9)]', 'F3 F2 F2 F4 F3'],
  ])('%s', (items, row) => {
    expect(rowOf(items)).toBe(row);
  });
});

describe('let', () => {
  it.each([
    ['F[n]', 'let n = microbatches - 1', 'F3'],
    ['F[w(d)], F[w(d + 2)]', 'let w(x) = 2 * x + 1', 'F1 F5'],
    ['pair(3)', 'let pair(j) = F[j], B[j]', 'F3 B3'],
    ['each(j in 0..1, pair(1 - j))', 'let pair(j) = F[j], B[j]', 'F1 B1 F0 B0'],
    ['both(1, 2)', 'let both(a, b) = F[a..b]', 'F1 F2'],
    ['F[f(f(6, 2), f(3, 1))]', 'let f(a, b) = a - b', 'F2'],
    ['F[g(9, 1, 2)]', 'let g(a, b, c) = a - b * c', 'F7'],
    ['if(first(d), F[0], B[0])', 'let first(x) = x == 0', 'F0'],
    ['F[r]', 'let r = 1..2', 'F1 F2'],
    ['F[after]', 'let after = before + 1  let before = 4', 'F5'],
    ['take(1, all)', 'let all = F[0..3]', 'F0'],
    ['F[w(b = 1, a = 3)]', 'let w(a, b) = a - b', 'F2'],
  ])('%s with %s', (items, more, row) => {
    if (row !== '') expect(rowOf(items, more)).toBe(row);
    else expect(() => rowOf(items, more)).toThrow();
  });
  it('hides a name of the file, and is hidden by a parameter', () => {
    const text = pipelineOf(
      'let n = 9  schedule mine { let n = 1  let w(n) = F[n]  row(d) = F[n], w(2), each(n in 3..3, F[n]) }',
    );
    expect(written(text)).toEqual(['0F1 0F2 0F3', '1F1 1F2 1F3']);
  });
  it('may use names of the file', () => {
    expect(written(pipelineOf('let n = 2  param m = 3  schedule mine { row(d) = F[n], F[m] }'))[0]).toBe('0F2 0F3');
  });
});

describe('chunk', () => {
  it('is a stage of the device, from the first to the last', () => {
    const rows = (placement: string) =>
      written(
        pipelineOf(`schedule mine { placement = ${placement}  row(d) = each(c in 0..1, F[0, chunk = c]) }`, {
          devices: 2,
          stages: 4,
        }),
      );
    expect(rows('loop(2)')).toEqual(['0F0 2F0', '1F0 3F0']);
    expect(rows('v_shape')).toEqual(['0F0 3F0', '1F0 2F0']);
    expect(rows('[[3, 1], [0, 2]]')).toEqual(['1F0 3F0', '0F0 2F0']);
  });
});

describe('part', () => {
  const parts = (items: string, more = ''): readonly string[] =>
    written(pipelineOf(`schedule mine { parts = 3  ${more}  row(d) = ${items} }`, { microbatches: 2 }));
  it('is a stage of the program: part a of stage s is number 3s + a', () => {
    expect(parts('F[0, part = 2], B[1, part = 0]')).toEqual(['2F0 0B1', '5F0 3B1']);
    expect(parts('F[0..1, part = 1]')).toEqual(['1F0 1F1', '4F0 4F1']);
    expect(parts('F[1, part = 0..<3], B[1, part = 2..0 step -1]')[0]).toBe('0F1 1F1 2F1 2B1 1B1 0B1');
    expect(parts('F[0..1, part = 0..1]')[0]).toBe('0F0 1F0 0F1 1F1');
    expect(parts('F[0, part = 0..<0], F[0, stage = 1, part = 2], F[0, part = 1, chunk = 0]')[0]).toBe('5F0 1F0');
    expect(parts('take(2, F[0, part = 0..<k])', 'let k = 3')[0]).toBe('0F0 1F0');
  });
  it('says where its stage is if nothing else does', () => {
    const rows = [0, 1].map(
      (d) =>
        `row(${d}) = F[0, stage = ${d}, part = 0..1], F[0, stage = ${3 - d}, part = 0..1], B[0, stage = ${3 - d}, part = 1..0 step -1], B[0, stage = ${d}, part = 1..0 step -1]`,
    );
    const { placement } = planOf(
      pipelineOf(`schedule mine { parts = 2  ${rows.join('  ')} }`, { stages: 4, microbatches: 1 }),
    );
    expect(placement).toEqual([0, 0, 1, 1, 1, 1, 0, 0]);
  });
  it('shares the costs of its stage', () => {
    const text = pipelineOf('schedule mine { parts = 4  row(d) = F[0, part = 0..3], B[0, part = 3..0 step -1] }', {
      microbatches: 1,
    });
    const { stages, edges } = planOf(text);
    expect(stages).toHaveLength(8);
    expect(stages.map(({ forward }) => forward)).toEqual(Array(8).fill(0.001));
    // Part a of a stage needs part a − 1 of it, and part a of the stage before.
    expect(edges.filter(({ to }) => to === 6).map(({ from }) => from)).toEqual([2, 5]);
  });
});

describe('mod and div', () => {
  it('are those of mathematics, below 0 too', () => {
    expect([mod(7, 4), mod(-1, 4), mod(-4, 4), mod(7, -4), mod(-7, -4)]).toEqual([3, 3, 0, -1, -3]);
    expect([div(7, 4), div(-1, 4), div(-4, 4), div(7, -4), div(-7, -4)]).toEqual([1, -1, -1, -2, 1]);
    expect(rowOf('F[mod(-1, 4)], F[div(7, 2)], F[3 + div(-1, 4)]')).toBe('F3 F3 F2');
  });
  it('belong together', () => {
    const whole = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
    fc.assert(
      fc.property(
        whole,
        whole.filter((b) => b !== 0),
        (a, b) => {
          const [rest, part] = [mod(a, b), div(a, b)];
          expect(BigInt(part) * BigInt(b) + BigInt(rest)).toBe(BigInt(a));
          expect(Math.abs(rest)).toBeLessThan(Math.abs(b));
          expect(rest === 0 || rest > 0 === b > 0).toBe(true);
          expect(Object.is(rest, -0) || Object.is(part, -0)).toBe(false);
        },
      ),
    );
  });
  it('may be used in any expression', () => {
    expect(written(pipelineOf('let k = mod(-5, 3) + div(7, 2)  schedule mine { row(d) = F[k] }'))[0]).toBe('0F4');
  });
});
