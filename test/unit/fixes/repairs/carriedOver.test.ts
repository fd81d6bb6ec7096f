/** Keys of a pipeline under the names that launchers and papers give them: the first fix keeps their value. */
import { describe, expect, test } from 'vitest';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { analyse, checkedAfter } from '../../../support/analyse.ts';
import { bare, repairsOf } from './promise.ts';
import { good, wrong } from './text.ts';

const imported = `import { llama3_8b } from "std:models"
import { dgx_h100 } from "std:clusters"
pipeline train {
  model = llama3_8b
  devices = dgx_h100
  microbatches = 8
  stages = balance(4)
  schedule = 1f1b
  optimizer = megatron_bf16
}
`;

/** Titles of the fixes, and the file after the first one. */
function fixed(text: string, contested = false): { readonly titles: readonly string[]; readonly made: string } {
  const fixes = repairsOf({ code: 'key/unknown', text, contested });
  let made = text;
  for (const { start, end, text: by } of fixes[0].edits.toSorted((a, b) => b.start - a.start))
    made = made.slice(0, start) + by + made.slice(end);
  return { titles: fixes.map(bare), made };
}

const withKey = (entry: string, text = imported): string =>
  wrong('schedule = 1f1b', `schedule = 1f1b\n  ${entry}`, text);
const without = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('the value is carried over', () => {
  test.each([
    ['tp = 4', 'Change to "tensor"', 'tensor = 4'],
    ['cp = 2', 'Change to "context"', 'context = 2'],
    ['dp = 2', 'Change to "data"', 'data = 2'],
    ['gbs = 64', 'Write global_batch = 64 instead of microbatches', 'global_batch = 64'],
    ['pp = 8', 'Write stages = balance(8)', 'stages = balance(8)'],
    ['vpp = 2', 'Write schedule = interleaved_1f1b(chunks = 2)', 'schedule = interleaved_1f1b(chunks = 2)'],
    ['zero = 1', 'Write shard = zero1 in the optimizer', 'megatron_bf16(shard = zero1)'],
    ['zero_stage = 3', 'Write shard = zero3 in the optimizer', 'megatron_bf16(shard = zero3)'],
    ['shard = fsdp', 'Write shard = fsdp in the optimizer', 'megatron_bf16(shard = fsdp)'],
    ['fsdp = true', 'Write shard = fsdp in the optimizer', 'megatron_bf16(shard = fsdp)'],
  ])('%s', (entry, title, makes) => {
    const { titles, made } = fixed(
      withKey(entry, entry.startsWith('vpp') ? imported.replace('balance(4)', 'balance(8)') : imported),
      // Each replaces a value that the file says.
      /^(?:gbs|pp|vpp)/.test(entry),
    );
    expect(titles[0]).toBe(title);
    expect(titles.at(-1)).toMatch(/^Remove /);
    expect(made).toContain(makes);
    expect(made).not.toContain(`\n  ${entry}\n`);
    expect(made.match(/microbatches/g)?.length ?? 0).toBe(entry.startsWith('gbs') ? 0 : 1);
  });

  test('to the model of the file', () => {
    const text = good.replace(
      'layer block[8] {',
      'sequence = 512\n  layer block[8] = transformer(hidden = 512, heads = 8)\n  layer old[8] {',
    );
    const shaped = wrong(
      '  layer old[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }\n',
      '',
      text,
    );
    const lasting = wrong(
      'device small { memory = 16GiB }',
      'device small { memory = 16GiB  compute = 100TFLOPS }',
      shaped,
    );
    for (const [entry, key] of [
      ['mbs = 2', 'micro_batch = 2'],
      ['seq_len = 1024', 'sequence = 1024'],
    ]) {
      const { titles, made } = fixed(withKey(entry, lasting), key.startsWith('sequence'));
      expect(titles[0]).toBe(`Write ${key} in model "toy"`);
      expect(without(made)).toMatch(new RegExp(`model toy \\{[^}]*\\b${key}\\b`));
      expect(made).not.toContain(entry);
    }
  });

  test('to a model that takes over an imported one', () => {
    const { titles, made } = fixed(withKey('seq_len = 4096'));
    expect(titles[0]).toBe('Declare model my_llama3_8b { from = llama3_8b  sequence = 4096 } and use it');
    expect(made).toContain('model = my_llama3_8b\n');
    expect(made).not.toContain('seq_len');
  });

  test('over the value that the key has already', () => {
    const { titles, made } = fixed(withKey('tp = 4\n  tensor = 2'), true);
    expect(titles[0]).toBe('Write tensor = 4');
    expect(made.match(/tensor/g)).toHaveLength(1);
  });

  test('to an optimizer where there is none', () => {
    const { made } = fixed(withKey('zero = 2', imported.replace('  optimizer = megatron_bf16\n', '')));
    expect(made).toContain('optimizer = adam_mixed(shard = zero2)');
  });

  test('keeps the other arguments of the cut', () => {
    const { made } = fixed(withKey('pp = 8', imported.replace('balance(4)', 'balance(4, by = memory)')), true);
    expect(made).toContain('stages = balance(8, by = memory)');
  });
});

describe('what competes with the file is left to a person', () => {
  const optimizer = '  optimizer = megatron_bf16\n';

  test.each([
    ['another key means the same', withKey('zero = 1', imported.replace('optimizer =', 'optimiser ='))],
    [
      'the optimizer has a shard',
      withKey('zero = 1', imported.replace(optimizer, '  optimizer = megatron_bf16(shard = fsdp)\n')),
    ],
    ['another name has the same place', withKey('zero = 1\n  fsdp = true', imported)],
    ['two names of one key', withKey('cp = 2\n  context_parallel = 4')],
  ])('%s', (_, text) => {
    const analysis = analyse(text);
    const found = analysis.findings.filter(({ message }) => /no key "(?:zero|fsdp|cp|context_parallel)"/.test(message));
    expect(found.length).toBeGreaterThan(0);
    for (const finding of found) {
      const fixes = fixesFor(analysis, finding, checkedAfter(analysis));
      expect(fixes.length).toBeGreaterThan(1);
      for (const fix of fixes) expect([fix.preferred, fix.unambiguous], fix.title).toEqual([undefined, undefined]);
    }
  });

  test('the misspelling of the other key is safe to correct', () => {
    const analysis = analyse(withKey('zero = 1', imported.replace('optimizer =', 'optimiser =')));
    const finding = analysis.findings.find(({ message }) => message.includes('"optimiser"'));
    if (finding === undefined) throw new Error('The misspelling is not found.');
    const [first] = fixesFor(analysis, finding, checkedAfter(analysis));
    expect([bare(first), first.unambiguous]).toEqual(['Change to "optimizer"', true]);
  });
});

test('what the cut says already is only removed', () => {
  expect(fixed(withKey('pp = 4')).titles).toEqual(['Remove "pp"']);
});

test('a number of ranks of FSDP is no stage of ZeRO', () => {
  expect(fixed(withKey('fsdp = 2')).titles).toEqual(['Remove "fsdp"']);
});

test('a value that the cluster is too small for is offered, with the next mistake', () => {
  const { titles, made } = fixed(withKey('tp = 8'));
  expect(titles).toEqual(['Change to "tensor"', 'Remove "tp"']);
  expect(analyse(made).findings.map(({ code }) => code)).toContain('stage/device-count');
});
