/** When data ranks that hold gradients in parts exchange them, and in which format: seconds and bytes by hand. */
import { describe, expect, test } from 'vitest';
import { analyse, runOf } from '../../../support/analyse.ts';

/** Layers of 10 M parameters, 20 MB in bf16. Links inside nodes take next to no time. */
const file = (optimizer: string, more = '', { backward = '2ms', weights = '20MB' } = {}): string => `
model toy { layer block[4] { forward = 1ms  backward = ${backward}  weights = ${weights} } }
device gpu { memory = 800GiB }
cluster pair { node[2] { gpu[2] = gpu  link = 100TB/s }  link = 10GB/s }
pipeline p { model = toy  devices = pair  data = 4  stages = balance(1)  microbatches = 3  schedule = 1f1b  optimizer = ${optimizer}  ${more} }
`;
const parameters = 40e6;
const reported = (optimizer: string, more = '') => {
  const { run } = runOf(file(optimizer, more));
  const { report } = run;
  return { report, within: report.stages[0].traffic?.weights?.bytes ?? 0, atEnd: report.devices[0].sync.bytes };
};
const ms = (seconds: number): number => Math.round(seconds * 1e5) / 100;

describe('bytes of an iteration of three microbatches, of 3/4 of the parameters', () => {
  // PyTorch pull request 118298: with and without collectives in accumulation.
  test.each([
    ['adamw(shard = fsdp)', 3 * (2 + 2 + 4), 0],
    ['adamw(shard = fsdp, gradient_sync = last)', 3 * (2 + 2), 4],
    ['adamw(shard = fsdp, reduce = bf16)', 3 * (2 + 2 + 2), 0],
    ['adamw(shard = fsdp, gradient_sync = last, reduce = bf16)', 3 * (2 + 2), 2],
    ['adamw(shard = fsdp, reshard = false, reduce = bf16)', 0, 2 + 2],
    // What an update leaves is gathered in the format of the weights.
    ['adamw(shard = zero1, reduce = bf16)', 0, 2 + 2],
    ['adamw(reduce = bf16)', 0, 2 * 2],
    ['muon(reduce = bf16, newton_schulz = 3)', 0, 2 * 2],
  ])('%s', (optimizer, within, atEnd) => {
    const found = reported(optimizer);
    expect(found.within / (0.75 * parameters)).toBeCloseTo(within, 6);
    expect(found.atEnd / (0.75 * parameters)).toBeCloseTo(atEnd, 6);
  });
});

describe('groups of two ranks in a node', () => {
  const grouped = 'adam_mixed(shard = fsdp, over = 2';
  test('all-reduce a half of the gradients after the last backward, or after each', () => {
    const [usual, each, last] = ['', ', gradient_sync = each', ', gradient_sync = last'].map((more) =>
      reported(`${grouped}${more})`),
    );
    // 2 bytes to gather twice, and to scatter; a half goes to a rank and back to the other group: 2 · 1/2 · 1/2 · 2 bytes.
    expect([usual, each, last].map(({ within }) => within / parameters)).toEqual([9, 9 + 3, 6]);
    expect([usual, each, last].map(({ atEnd }) => atEnd / parameters)).toEqual([1, 0, 2]);
  });
  test('make a short backward wait for each all-reduce', () => {
    const short = (more: string) => runOf(file(`${grouped}${more})`, '', { backward: '100us' })).run.report.iteration;
    // Four parts of 10 MB through 10 GB/s: 4 ms for each of three backwards, and the 4 ms of each forward.
    expect(ms(short(', gradient_sync = each'))).toBeCloseTo(3 * (4 + 4) + 0.1, 1);
    // Once: the first part is ready with the first layer, 0.1 ms after the last backward begins.
    expect(ms(short(''))).toBeCloseTo(3 * (4 + 0.4) + 4 - 0.3, 1);
  });
  test('reduce in the last backward what stayed whole until then', () => {
    // As without groups' microbatches: parts of the first layers are hidden, that of the front layer is not.
    expect(ms(reported(`${grouped}, gradient_sync = last)`).report.iteration)).toBe(3 * 12 + 1);
    expect(ms(reported(`${grouped}, gradient_sync = last)`, 'sync = end').report.iteration)).toBe(3 * 12 + 4);
  });
});

describe('memory', () => {
  const gradients = (optimizer: string, weights = '20MB') => runOf(file(optimizer, '', { weights })).plan.stages[0];
  test('of whole gradients up to the last backward: 4 bytes of a parameter, or 2', () => {
    const [usual, last, narrow] = ['', ', gradient_sync = last', ', gradient_sync = last, reduce = bf16'].map((more) =>
      gradients(`adamw(shard = fsdp${more})`),
    );
    expect(usual.gradients).toBe(parameters);
    expect(last.gradients - usual.gradients).toBe(4 * parameters);
    expect(narrow.gradients - usual.gradients).toBe(2 * parameters);
    // Otherwise gradients of two layers are whole in a backward.
    expect(usual.workspace - last.workspace).toBe(2 * 4 * 10e6);
    expect(gradients('adamw(shard = fsdp, reduce = bf16)').workspace).toBe(usual.workspace - 2 * 2 * 10e6);
  });
  // meta-pytorch/tnt, pull request 1057: 26B parameters in bf16 take 52 GB whole. Parts of 16 ranks are 3.25 GB; here there are 4.
  test('as a trainer measures it for 26 billion parameters', () => {
    const [parts, whole] = ['', ', gradient_sync = last'].map((more) =>
      gradients(`adam_bf16(shard = fsdp${more})`, '13GB'),
    );
    expect(parts.gradients).toBe((4 * 3.25e9 * 4) / 4);
    expect(whole.gradients - parts.gradients).toBe(52e9);
  });
});

test.each([
  ['torchtitan', 'adamw(shard = fsdp, gradient_sync = last)', 'scatters gradients after each backward'],
  ['torchtitan', 'adamw(shard = fsdp, reduce = bf16)', 'reduces gradients in fp32'],
  ['deepspeed', 'adam_mixed(shard = zero3, gradient_sync = last)', 'scatters gradients after each backward'],
  ['megatron', 'megatron_bf16(shard = fsdp, gradient_sync = last)', 'scatters gradients after each backward'],
])('%s does not run %s', (engine, optimizer, reason) => {
  const { findings } = analyse(file(optimizer, `engine = ${engine}`));
  const refused = findings.filter(({ code }) => code === 'engine/unsupported').map(({ message }) => message);
  expect(refused.join()).toContain(reason);
});
