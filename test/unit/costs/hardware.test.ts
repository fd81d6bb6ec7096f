import { describe, expect, it } from 'vitest';
import { hardware } from '../../../engine/plan/std/hardware.ts';
import { parse } from '../../../grammar/parse.ts';
import { dataFile } from '../support/data.ts';

const { declarations, errors } = parse(hardware, { size: 1e6, faults: 10 });
const blocks = declarations.flatMap((one) => (one.kind === 'block' ? [one] : []));

/** Number of a key of a device, in the unit that it is written in. */
function figure(device: string, key: string): number {
  const block = blocks.find(({ name }) => name?.text === device);
  for (const entry of block?.body?.entries ?? []) {
    const value = entry.kind === 'entry' && entry.key.text === key ? entry.values?.[0] : undefined;
    if (value?.kind === 'quantity') return value.value;
  }
  return Number.NaN;
}

it('std:hardware is devices with documentation and sources, without a mistake', () => {
  expect(errors).toEqual([]);
  expect(blocks.map(({ keyword }) => keyword.text)).toEqual(blocks.map(() => 'device'));
  for (const { doc } of blocks) expect(doc).toContain('Sources:');
});

describe('std:hardware has the figures of devices.csv', () => {
  const rows = dataFile('devices.csv')
    .split('\n')
    .map((line) => line.split(','));
  const column = (name: string): number => rows[0].indexOf(name);
  it.each([
    ['v100', 'v100-sxm2-16'],
    ['a100_40', 'a100-sxm4-40'],
    ['a100_80', 'a100-sxm4-80'],
    ['h100', 'h100-sxm5-80'],
    ['h200', 'h200-sxm-141'],
  ])('%s', (device, id) => {
    const row = rows.find(([first]) => first === id) ?? [];
    expect(figure(device, 'memory')).toBe(Number(row[column('mem_usable_gib')]));
    expect(figure(device, 'bandwidth')).toBe(Number(row[column('mem_bw_gbs')]));
    expect(figure(device, 'compute')).toBe(Number(row[column('fp16_tflops')]));
  });
});
