import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { alike, productOf } from '../../../engine/language/dimensions.ts';
import type { Dimension } from '../../../engine/values/plan.ts';
import { exampleOf, findUnit, nearestUnit, units } from '../../../engine/language/units.ts';
import { resolveText } from '../../support/resolve.ts';

/** Value of an expression through a param, which keeps value and dimension. */
function valueOf(expression: string): { readonly value: number; readonly dimension: string } | string {
  const { plan, findings } = resolveText(`param x = ${expression}`);
  const [param] = plan.params;
  return param === undefined
    ? findings.map((finding) => finding.code).join()
    : { value: param.value, dimension: param.dimension };
}

describe('units', () => {
  test.each([
    ['4ms', 0.004, 'time'],
    ['5us', 5e-6, 'time'],
    ['5µs', 5e-6, 'time'],
    ['2h', 7200, 'time'],
    ['80GiB', 80 * 2 ** 30, 'bytes'],
    ['1KB', 1000, 'bytes'],
    ['25GB/s', 25e9, 'bandwidth'],
    ['200Gb/s', 25e9, 'bandwidth'],
    ['200Gbps', 25e9, 'bandwidth'],
    ['312TFLOPS', 312e12, 'compute'],
    ['2GFLOP', 2e9, 'flops'],
    ['40%', 0.4, 'share'],
    ['300/s', 300, 'rate'],
    ['12', 12, 'number'],
  ])('%s', (text, value, dimension) => {
    expect(valueOf(text)).toEqual({ value, dimension });
  });
  test('every unit is found by its name and has an example of its dimension', () => {
    for (const unit of units) {
      expect(findUnit(unit.name)).toBe(unit);
      const example = /[^\d.]*$/.exec(exampleOf[unit.dimension])?.[0] ?? '';
      expect(findUnit(example)?.dimension).toBe(unit.dimension);
    }
  });
  test('nearest', () => {
    expect(nearestUnit('gib')).toBe('GiB');
    expect(nearestUnit('msec')).toBe('ms');
    expect(nearestUnit('TFLOP/s')).toBe('TFLOPS');
    expect(nearestUnit('bananas')).toBeUndefined();
  });
});

describe('arithmetic', () => {
  test.each([
    ['2 + 3 * 4', 14, 'number'],
    ['(2 + 3) * 4', 20, 'number'],
    ['-3 + 10 / 4', -0.5, 'number'],
    ['2ms * 25GB/s', 50e6, 'bytes'],
    ['50MB / 25GB/s', 0.002, 'time'],
    ['50MB / 2ms', 25e9, 'bandwidth'],
    ['6GFLOP / 3TFLOPS', 0.002, 'time'],
    ['6GFLOP / 2ms', 3e12, 'compute'],
    ['6ms / 2ms', 3, 'number'],
    ['50% * 8GiB', 4 * 2 ** 30, 'bytes'],
    ['10 / 2s', 5, 'rate'],
    ['min(3ms, 2ms, 9ms)', 0.002, 'time'],
    ['max(2, 30%)', 2, 'number'],
    ['ceil(2.2) + floor(2.8) + round(2.5)', 8, 'number'],
    ['sqrt(9) + log2(8) + abs(-2)', 8, 'number'],
    ['if(2 * 3 == 6, 1, 2)', 1, 'number'],
    ['if(1ms >= 2ms, 1GiB, 2GiB)', 2 ** 31, 'bytes'],
  ])('%s', (text, value, dimension) => {
    const found = valueOf(text);
    expect(found).toEqual({ value: expect.closeTo(value, 9), dimension });
    if (typeof found === 'object') expect(found.value / value).toBeCloseTo(1, 12);
  });
  test.each([
    ['1ms + 1GiB', 'type/dimension'],
    ['1GiB * 1GiB', 'type/dimension'],
    ['1 + 1ms', 'type/dimension'],
    ['min(1, 1ms)', 'type/dimension'],
    ['sqrt(4ms)', 'type/dimension'],
    ['1 / 0', 'value/range'],
    ['if(3, 1, 2)', 'type/mismatch'],
    ['ceil(1, 2)', 'type/mismatch'],
    ['[1, 2]', 'type/mismatch'],
    ['nothing(2)', 'name/unknown'],
  ])('%s is %s', (text, code) => {
    expect(valueOf(text)).toBe(code);
  });
  test('sums and products of any two dimensions either have one or are errors', () => {
    const dimension = fc.constantFrom(...(Object.keys(exampleOf) as Dimension[]));
    fc.assert(
      fc.property(dimension, dimension, (a, b) => {
        expect(typeof valueOf(`${exampleOf[a]} - ${exampleOf[b]}`) === 'object').toBe(alike(a, b));
        const product = productOf(a, b, 1);
        expect(valueOf(`${exampleOf[a]} * ${exampleOf[b]}`)).toEqual(
          product === undefined ? 'type/dimension' : expect.objectContaining({ dimension: product }),
        );
        expect(productOf(b, a, 1)).toBe(product);
      }),
    );
  });
  test('plain arithmetic is that of JavaScript', () => {
    const tree = fc.letrec<{ e: string }>((tie) => ({
      e: fc.oneof(
        { maxDepth: 6 },
        fc.integer({ min: 0, max: 99 }).map(String),
        fc.tuple(tie('e'), fc.constantFrom('+', '-', '*', '/'), tie('e')).map(([a, o, b]) => `(${a} ${o} ${b})`),
      ),
    })).e;
    fc.assert(
      fc.property(tree, (text) => {
        // The text holds digits, brackets and operators only.
        // There is one zero.
        const wanted = Number(new Function(`return ${text}`)()) + 0;
        const found = valueOf(text);
        if (Number.isFinite(wanted) && typeof found === 'object') expect(found.value).toBe(wanted);
        // One finding for each division that has no result.
        else expect(found).toMatch(/^value\/range(?:,value\/range)*$/);
      }),
    );
  });
});
