import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { isAstraSim, readAstraSim } from '../../../engine/formats/astraSim/read.ts';

// Three lines of ASTRA-sim's Resnet50_DataParallel.txt (MIT), with the count to match.
const rows = [
  'conv1\t-1\t13003\tNONE\t0\t12864\tNONE\t0\t32291\tALLREDUCE\t37632\t3229',
  'layer_64_1_conv4\t-1\t3456\tNONE\t0\t3648\tNONE\t0\t7488\tALLREDUCE\t65536\t749',
  'fc1000\t-1\t16416\tNONE\t0\t27708\tNONE\t0\t9220\tALLREDUCE\t8192000\t922',
];
const file = (...lines: readonly string[]) => ['DATA\t\t', `${lines.length}\t\t`, ...lines].join('\r\n');

describe('workloads of ASTRA-sim 1.0', () => {
  test('forward, both halves of the backward, and weights by what is reduced', () => {
    const read = readAstraSim(file(...rows));
    if ('faults' in read) throw new Error(read.faults[0].message);
    expect(read.layers.map((layer) => layer.name)).toEqual(['conv1', 'layer_64_1_conv4', 'fc1000']);
    expect(read.layers[0]).toMatchObject({ weights: 37632, activation: 0, output: 0, after: [] });
    expect(read.layers[0].forward * 1e9).toBeCloseTo(13003, 6);
    expect((read.layers[0].backwardInput ?? 0) * 1e9).toBeCloseTo(12864, 6);
    expect((read.layers[0].backwardWeight ?? 0) * 1e9).toBeCloseTo(32291, 6);
    expect(read.layers[2].after).toEqual([1]);
    expect(read.remarks.join(' ')).toContain('no activations');
  });

  test('a model-parallel layer has no weights that are known', () => {
    const read = readAstraSim(file('mlp\t-1\t32291\tALLGATHER\t37632\t32291\tALLREDUCE\t37632\t12864\tNONE\t0\t3229'));
    expect('faults' in read ? [] : read.layers.map((layer) => layer.weights)).toEqual([0]);
  });

  test('is told from other files', () => {
    expect(isAstraSim(file(...rows))).toBe(true);
    expect(isAstraSim(`HYBRID_DLRM\t4\t\n3\t\n${rows.join('\n')}`)).toBe(true);
    expect(isAstraSim('0F0,0F1')).toBe(false);
    expect(isAstraSim('')).toBe(false);
  });

  test.each([
    [`DATA\n4\n${rows.join('\n')}`, '4', 'must be the number of layers, which is 3'],
    [file(rows[0].slice(0, -5)), 'conv1', '11 columns'],
    [file(rows[0].replace('13003', '13x')), '13x', 'Column 3 must be a number of cycles'],
    [file(rows[0].replace('37632', '-5')), '-5', 'Column 11 must be a number of bytes'],
    [file(rows[0].replace('NONE', '7')), '7', 'Column 4 must be a collective'],
  ])('fault %#', (text, place, message) => {
    const read = readAstraSim(text);
    const [fault] = 'faults' in read ? read.faults : [];
    expect(text.slice(fault.start, fault.end).startsWith(place)).toBe(true);
    expect(fault.message).toContain(message);
  });

  test('any text is read or refused', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('\n', '\t', 'DATA', '1', ...rows)), { maxLength: 20 }),
        (parts) => {
          const read = readAstraSim(parts.join(''));
          return 'faults' in read
            ? read.faults.length > 0
            : read.layers.every((layer) => Number.isFinite(layer.forward));
        },
      ),
    );
  });
});
