/** Values by the names that other programs give them: what is reported, and what is offered. */
import { describe, expect, test } from 'vitest';
import { valuesMeant, wordMeant } from '../../../engine/language/otherNames.ts';
import { loraTargets } from '../../../engine/costs/types.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { after, analyse, checkedAfter } from '../../support/analyse.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';

interface Parts {
  readonly model?: string;
  readonly pipeline?: string;
  readonly optimizer?: string;
  readonly device?: string;
}

const fileOf = ({ model = '', pipeline = '', optimizer = 'optimizer = adam_mixed', device = '' }: Parts): string => `
model m {
  sequence = 128  ${model}
  layer block[8] = transformer(hidden = 256, heads = 4, gated = true)
}
device gpu { memory = 40GiB  compute = 100TFLOPS  bandwidth = 1TB/s  ${device} }
cluster box { gpu[4] = gpu  link = 25GB/s  host_memory = 256GiB  host_bandwidth = 200GB/s }
pipeline train {
  model = m  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b
  ${optimizer}
  ${pipeline}
}
`;

const titles = (text: string): readonly string[] => {
  const analysis = analyse(text);
  const [finding] = analysis.findings.filter(({ severity }) => severity === 'error');
  return fixesFor(analysis, finding, checkedAfter(analysis)).map(({ title }) =>
    title.replace(/: (?:runs|iteration).*$/, ''),
  );
};

describe('targets of adapters', () => {
  test.each([
    ['q_proj', 'q'],
    ['v_proj', 'v'],
    ['gate_proj', 'gate'],
    ['down_proj', 'down'],
    ['wo', 'o'],
  ])('%s is %s', (name, target) => {
    checkFix(fileOf({ model: `trainable = lora(rank = 8, targets = [⟦name/unknown:${name}→${target}⟧])` }));
  });

  test('each other name stands for a target', () => {
    for (const name of ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'up_proj', 'q_a_proj', 'q_b_proj', 'kv_b_proj'])
      expect(loraTargets).toContain(wordMeant(name, loraTargets));
    expect(wordMeant('q_proj', ['k', 'v'])).toBeUndefined();
  });

  test('all of them is what a call without targets has', () => {
    const text = fileOf({ model: 'trainable = lora(rank = 8, targets = ⟦name/unknown:all⟧)' });
    checkFindings(text);
    const analysis = analyse(text.replace(/⟦name\/unknown:all⟧/, 'all'));
    const [finding] = analysis.findings.filter(({ code }) => code === 'name/unknown');
    const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
    expect(fix.title).toMatch(/^Remove "targets"/);
    expect(after(analysis, fix).syntax.text).toContain('trainable = lora(rank = 8)\n');
  });
});

describe('recompute', () => {
  test('lists its words', () => {
    checkFindings(fileOf({ pipeline: 'recompute = ⟦name/unknown:everything⟧' }), [
      'Unknown value "everything". Words allowed here: none, selective, stage, operations, full, budget(…) and modules(…).',
    ]);
  });

  test.each([
    ['true', ['full', 'selective']],
    ['attention', ['selective', 'modules(core_attention)']],
    ['mlp', ['modules(mlp)']],
    ['off', ['none']],
  ])('%s', (name, meant) => {
    const written = titles(fileOf({ pipeline: `recompute = ${name}` }));
    expect(written.slice(0, meant.length)).toEqual(meant.map((text) => `Change to "${text}"`));
    expect(written.join()).not.toContain('…');
    expect(valuesMeant('recompute', name)).toEqual(meant);
  });

  test('of no layers is none, so that a param can begin there', () => {
    const runs = ['recompute = full(layers = 0)', 'recompute = none', 'recompute = full(layers = 1)'].map(
      (pipeline) => analyse(fileOf({ pipeline })).pipelines[0].run?.report.iteration,
    );
    expect(runs[0]).toBeDefined();
    expect(runs[0]).toBe(runs[1]);
    expect(runs[2]).toBeGreaterThan(runs[1] ?? Infinity);
  });

  test('of fewer layers than none is refused, and a million is no way out', () => {
    const text = fileOf({ pipeline: 'recompute = full(layers = -1)' });
    checkFindings(text.replace('-1', '⟦value/range:-1⟧'), ['"layers" is −1; it must be a whole number of at least 0']);
    expect(titles(text)).not.toContain('Change to 1000000');
    expect(titles(text)).toContain('Change to 1');
    checkFindings(fileOf({ pipeline: 'recompute = full(every = ⟦value/range:0⟧)' }));
    checkFindings(fileOf({ pipeline: 'recompute = full(layers = ⟦value/range:0⟧, method = uniform)' }));
  });
});

describe('offload', () => {
  test('of the optimizer is an argument of it', () => {
    const parts = { pipeline: 'offload = ⟦name/unknown:optimizer⟧', device: 'host = 25GB/s' };
    checkFindings(fileOf(parts), ['`optimizer = adam_mixed(offload = 100%)`']);
    const text = fileOf({ ...parts, pipeline: 'offload = optimizer' });
    const analysis = analyse(text);
    const [finding] = analysis.findings.filter(({ code }) => code === 'name/unknown');
    const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
    const changed = after(analysis, fix).syntax.text;
    expect(changed).toContain('optimizer = adam_mixed(offload = 100%)');
    expect(changed).not.toContain('offload = optimizer');
  });

  test('of the optimizer, where none is named', () => {
    const written = titles(fileOf({ optimizer: '', pipeline: 'offload = optimizer', device: 'host = 25GB/s' }));
    expect(written).toContain('Set offload = 100% in the optimizer');
  });

  test('a share in the place of a truth', () => {
    const device = 'host = 25GB/s';
    checkFix(fileOf({ optimizer: 'optimizer = adam_mixed(offload = ⟦name/unknown:true→100%⟧)', device }));
    const no = fileOf({ optimizer: 'optimizer = adam_mixed(offload = false)', device });
    expect(titles(no)[0]).toBe('Change to "0%"');
    expect(titles(no).join()).not.toContain('Declare let');
  });
});

test('an unknown layer: the layers of the model are listed', () => {
  checkFindings(fileOf({ model: 'frozen = ⟦name/unknown:vision⟧' }), [
    'Unknown layer "vision" in model "m". Its layers: block.',
  ]);
});

describe('figures that are most often a mistake', () => {
  const packed = (documents: string): string =>
    fileOf({ pipeline: `documents = ${documents}` }).replace('gated = true', 'gated = true, flash = true');

  test('a rank over the width of the layers', () => {
    checkFix(fileOf({ model: 'trainable = lora(rank = ⟦warning value/range:257→256⟧)' }));
    checkFindings(fileOf({ model: 'trainable = lora(rank = 256)' }));
    const layer = fileOf({}).replace(
      'gated = true)',
      'gated = true)\n  layer join { shape = linear(inputs = 256, outputs = 64)  trainable = lora(rank = ⟦warning value/range:65⟧) }',
    );
    checkFindings(layer, ['"rank" is 65; it should be at most 64']);
  });

  test('documents that are mostly cut', () => {
    checkFindings(packed('⟦warning value/range:uniform(from = 65, to = 192, seed = 1)⟧'), [
      'it should be at most 10 %: each is cut to 128 tokens',
    ]);
    checkFindings(packed('lognormal(mean = 128, sigma = 0, seed = 1)'));
    checkFindings(packed('⟦warning value/range:lognormal(mean = 129, sigma = 0, seed = 1)⟧'), [
      'is 100 %; it should be',
    ]);
    checkFindings(packed('lognormal(mean = 30, sigma = 0.5, seed = 1)'));
  });
});

test.each([
  ['zero1', 'adam_mixed(shard = zero1)'],
  ['fsdp', 'adam_mixed(shard = fsdp)'],
  ['distributed', 'adam_mixed(shard = distributed)'],
  ['adamw_torch_fused', 'adamw'],
])('an optimizer: %s is %s', (name, optimizer) => {
  checkFix(fileOf({ optimizer: `optimizer = ⟦name/unknown:${name}→${optimizer}⟧` }));
});

test.each([
  ['LoopedBFS', 'breadth_first'],
  ['ZBVZeroBubble', 'zb_v'],
  ['DualPipeV', 'dualpipe_v'],
])('a schedule by its class in PyTorch: %s is %s', (name, policy) => {
  const [finding] = analyse(fileOf({}).replace('schedule = 1f1b', `schedule = ${name}`)).findings;
  expect(finding.message).toBe(`Unknown policy "${name}". Did you mean "${policy}"?`);
});

test.each(['v', 'vpp', 'virtual_stages'])('chunks by the name %s', (name) => {
  const text = fileOf({}).replace('schedule = 1f1b', `schedule = interleaved_1f1b(⟦key/unknown:${name}→chunks⟧ = 2)`);
  checkFix(text);
});

test('bytes per second by a capital B, and bits by a small one', () => {
  checkFix(fileOf({ device: 'host = ⟦syntax/unit:25GBps→25GB/s⟧' }));
  checkFix(fileOf({ device: 'host = ⟦syntax/unit:200GiBps→200GiB/s⟧' }));
  checkFindings(fileOf({ device: 'host = 200Gbps' }));
});

test('a schedule by its name in PyTorch', () => {
  for (const written of ['interleaved_zero_bubble', 'interleaved_zero_bubble(chunks = 2)']) {
    const [finding] = analyse(fileOf({}).replace('schedule = 1f1b', `schedule = ${written}`)).findings;
    expect(finding.message).toBe('Unknown policy "interleaved_zero_bubble". Did you mean "interleaved_zb"?');
  }
});
