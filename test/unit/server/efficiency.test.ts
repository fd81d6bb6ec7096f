import { expect, test } from 'vitest';
import type { Hover } from 'vscode-languageserver';
import { ask, labelsAt } from '../../support/asked.ts';

test('in the parentheses of a key: its number formats, names of sizes, and units of its sizes', async () => {
  const inDevice = (entry: string) => labelsAt(`let small = 1GFLOP\ndevice d { memory = 1GiB  ${entry} }`);
  expect(await inDevice('efficiency($0) = 10%')).toEqual(expect.arrayContaining(['fp8', 'bf16', 'small']));
  const second = await inDevice('efficiency(fp8, $0) = 10%');
  expect(second).toContain('small');
  expect(second).not.toContain('bf16');
  const sizes = await inDevice('efficiency(fp8, 16$0) = 10%');
  expect(sizes).toEqual(expect.arrayContaining(['16GFLOP', '16MFLOP']));
  expect(sizes.filter((size) => !size.endsWith('FLOP'))).toEqual([]);
  expect(await inDevice('memory_efficiency(10$0) = 10%')).toContain('10MB');
  expect(await inDevice('memory_efficiency($0) = 10%')).not.toContain('fp8');
  expect(await inDevice('compute($0) = 1TFLOPS')).not.toContain('small');
  expect(await inDevice('compute(8$0) = 1TFLOPS')).toEqual([]);
  expect(await inDevice('efficiency(fp8, 16GFLOP) = 10$0')).toContain('10%');
});

test('hovers: the number format, the size, the name of one, the key', async () => {
  const hover = async (entry: string) =>
    JSON.stringify(await ask<Hover | null>(`let small = 1GFLOP\ndevice d { ${entry} }`, 'textDocument/hover'));
  expect(await hover('efficiency(f$0p8, 16GFLOP) = 10%')).toContain('Multiplied in one byte');
  expect(await hover('efficiency(fp8, 16$0GFLOP) = 10%')).toContain('16 GFLOP');
  expect(await hover('efficiency(fp8, sm$0all) = 10%')).toContain('small');
  expect(await hover('memory_eff$0iciency(1MB) = 10%')).toContain('kernels that move at least that many bytes');
  expect(await hover('lau$0nch = 4us')).toContain('each kernel');
});
