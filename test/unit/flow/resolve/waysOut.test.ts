/** What a finding says of mistakes that newcomers make, and the fix that it leads to. */
import { describe, expect, test } from 'vitest';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { after, analyse, checkedAfter } from '../../../support/analyse.ts';

const model = `model m {
  sequence       = 1024
  layer embed    = embedding(vocab = 1000, hidden = 64)
  layer block[8] = transformer(hidden = 64, heads = 8, kv_heads = 4)
  layer head     = lm_head(vocab = 1000, hidden = 64)
}
device gpu { memory = 16GiB  compute = 100TFLOPS }
`;
const file = (keys: string, cluster = 'gpu[16] = gpu'): string => `${model}cluster box { ${cluster}  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 8  schedule = 1f1b  optimizer = none  ${keys} }
`;
const told = (text: string) => {
  const analysis = analyse(text);
  const finding = analysis.findings.find(({ severity }) => severity === 'error');
  if (finding === undefined) throw new Error('no error');
  const fixes = fixesFor(analysis, finding, checkedAfter(analysis));
  return { message: finding.message, fixes, titles: fixes.map(({ title }) => title.replace(/: .*/, '')), analysis };
};

test('split that forgets embedding and head names them, and the corrected split is simulated', () => {
  const { message, titles, fixes, analysis } = told(file('stages = split(2, 2, 2, 2)'));
  expect(message).toBe(
    'The number of layers in 4 stages is 8; it must be 10, the number of layers in model "m" (embed, block[8] and head); block[7] and head are left out.',
  );
  expect(titles[0]).toBe('Write split(3, 2, 2, 3)');
  expect(fixes[0].title).toMatch(/iteration .*peak/);
  expect(after(analysis, fixes[0]).pipelines[0].run).toBeDefined();
});

test('split with many layers left out, and with too many', () => {
  expect(told(file('stages = split(2, 2)')).message).toContain(
    '; block[3], block[4], block[5], block[6] and 2 more are left out.',
  );
  expect(told(file('stages = split(9)')).message).toContain('; head is left out.');
  expect(told(file('stages = split(6, 6)')).message).not.toContain('left out');
});

describe('ranks that the layers do not divide into', () => {
  test.each([
    ['tensor = 3', 'nearest: 2 or 4', ['Change to 2', 'Change to 4']],
    ['tensor = 5', 'nearest: 4 or 8', ['Change to 4', 'Change to 8']],
  ])('%s: %s', (keys, near, titles) => {
    const found = told(file(`stages = balance(2)  ${keys}`));
    expect(found.message).toContain(near);
    expect(found.titles.filter((title) => title.startsWith('Change to'))).toEqual(titles);
  });
});

describe('devices that are written one by one', () => {
  test('of one kind are one entry', () => {
    const { message, titles, fixes, analysis } = told(file('stages = balance(2)', 'gpu[0] = gpu\n  gpu[1] = gpu'));
    expect(message).toBe(
      'The number of devices is 0; it must be at least 1, since `gpu[n] = gpu` adds n devices; for the first device alone write `gpu[0..0] = gpu`.',
    );
    expect(titles[0]).toBe('Write gpu[2] = gpu');
    expect(after(analysis, fixes[0]).syntax.text).toContain('cluster box { gpu[2] = gpu  link');
  });

  test('of several kinds are ranges', () => {
    const text = file('stages = balance(2)', 'gpu[0] = gpu\n  gpu[1] = other').replace(
      'device gpu',
      'device other { from = gpu }\ndevice gpu',
    );
    const { titles, fixes, analysis } = told(text);
    expect(titles[0]).toBe('Write a range for each device');
    const changed = after(analysis, fixes[0]);
    expect(changed.syntax.text).toContain('gpu[0..0] = gpu\n  gpu[1..1] = other');
    expect(changed.pipelines[0].plan.devices.map(({ kind }) => kind)).toEqual(['gpu', 'other']);
  });
});

test('a machine of NVSwitches without a link is offered their rate, not that of a single NVLink', () => {
  const text = `import { a100_80 } from "std:hardware"
cluster box { gpu[8] = a100_80 }
model m { layer block[8] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = box  microbatches = 8  stages = balance(8)  schedule = 1f1b }
`;
  const { titles, fixes } = told(text);
  expect(titles[0]).toBe('Add link = 235GB/s + 3.4us, the NVSwitches of a100_80');
  expect(fixes.map(({ title }) => title).join()).not.toContain('nvlink');
});
