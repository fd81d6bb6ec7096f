import { expect, test } from 'vitest';
import { kernelWork } from '../../../engine/costs/kernels.ts';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';
import { cost, device } from './settings.ts';

const [hidden, vocab, sequence] = [64, 1000, 32];
const head = (loss: string | undefined, over: Parameters<typeof cost>[2] = {}) =>
  cost(
    'lm_head',
    { hidden, vocab, norm: 'rmsnorm', pad: 1, ...(loss === undefined ? {} : { loss }) },
    { sequence, ...over },
  );
const logits = sequence * vocab;
/** Inputs of norm and product. */
const inputs = 2 * 2 * sequence * hidden;

/**
 * Tensors of one logit that are alive at the most: bytes in the forward, in between, and in the backward.
 *
 * `parallel`: Megatron-LM d98e8a6, core/tensor_parallel/cross_entropy.py: `.float()` (2 + 4), softmax in its place (4), gradient in
 * its place and its 16-bit copy (4 + 2). `eager`: logits 2, `.float()` 4, log-softmax 4; then 2 + 4; then gradients of `nll_loss`
 * and of `log_softmax` in addition (2 + 4 + 4 + 4).
 */
const alive: Readonly<Record<string, readonly [number, number, number]>> = {
  parallel: [6, 4, 6],
  eager: [10, 6, 14],
  compiled: [2, 2, 4],
  fused: [2, 2, 2],
};

for (const [loss, [forward, between, backward]] of Object.entries(alive)) {
  test(`\`loss = ${loss}\` keeps ${between} B of a logit and holds ${backward} B at the most`, () => {
    const { activation, workspace, activationParts } = head(loss);
    expect(activation).toBe(inputs + between * logits);
    expect(activationParts?.['logits and loss']).toBe(between * logits);
    expect(activation + workspace).toBe(inputs + Math.max(forward, backward) * logits);
  });
}

test('in fp32 nothing is copied: parallel 4 B, eager 16 B', () => {
  const inFp32 = (loss: string) => {
    const { activation, workspace } = head(loss, { precision: 'fp32' });
    return (activation + workspace - 2 * inputs) / logits;
  };
  expect([inFp32('parallel'), inFp32('eager'), inFp32('compiled'), inFp32('fused')]).toEqual([4, 16, 8, 4]);
});

test('a loss in chunks holds the eager bytes of one chunk, and the gradient of its input', () => {
  const { activation, workspace, activationParts, activationForWeight } = head('chunked(8)');
  expect(activationParts?.['gradient of the head input']).toBe(2 * sequence * hidden);
  expect(activation).toBe(inputs + 2 * sequence * hidden);
  // The sum of the gradient is in fp32 while it is made.
  expect(activation + workspace).toBe(inputs + (14 * logits) / 8 + 4 * sequence * hidden);
  expect(activationForWeight).toBe(2 * sequence * hidden + (2 * logits) / 8);
});

test('tensor ranks split the logits of every loss', () => {
  for (const loss of [...Object.keys(alive), 'chunked(4)']) {
    const [whole, split] = [1, 4].map((tensor) => {
      const { activation, workspace } = head(loss, { tensor });
      return activation + workspace - inputs - (loss.startsWith('chunked') ? 4 * sequence * hidden : 0);
    });
    // `loss_parallel` of PyTorch holds one more tensor in fp32: `(grad_input + torch.exp(x)) * grad_output` next to the log-softmax.
    const more = loss === 'eager' ? logits : loss.startsWith('chunked') ? logits / 4 : 0;
    expect(split, loss).toBe(whole / 4 + more);
  }
});

test('without `loss`: 6 B while a pass runs; 14 B where data ranks share the weights, 18 B where tensor ranks split them too', () => {
  expect(head(undefined)).toMatchObject({ activation: inputs, workspace: 6 * logits });
  expect(head(undefined, { precision: 'fp32' })).toMatchObject({ workspace: 4 * logits });
  const eager = head('eager');
  expect(head(undefined, { loss: 'eager' })).toMatchObject({
    activation: eager.activation,
    workspace: eager.workspace,
  });
  expect(head(undefined, { loss: 'eager', tensor: 2 })).toMatchObject({
    activation: inputs + (6 * logits) / 2,
    workspace: (12 * logits) / 2,
  });
  // What the file says comes first.
  expect(head('fused', { loss: 'eager' }).workspace).toBe(0);
});

test('`mtp` has a head of its own, with the same loss', () => {
  const args = { hidden, heads: 4, vocab, pad: 1 };
  const usual = cost('mtp', args, { sequence });
  const eager = cost('mtp', { ...args, loss: 'eager' }, { sequence });
  const parallel = cost('mtp', { ...args, loss: 'parallel' }, { sequence });
  expect(eager.activation - parallel.activation).toBe((6 - 4) * logits);
  expect(eager.workspace).toBe(8 * logits);
  // Its softmax is there while the head behind it runs, so it is never only workspace.
  expect(usual.activation).toBe(parallel.activation);
  expect(usual.workspace).toBe(2 * logits);
});

test('a stage with d depths of `mtp` and a head holds (4·d + 6) B of each logit', () => {
  const usual = (depths: number): number => {
    const prediction = `layer predict[${depths}] = mtp(hidden = 4096, heads = 32, vocab = 128256, flash = true)\n  layer head`;
    const text = file('', 'megatron_bf16').replace('layer head', prediction);
    const { activationParts = {}, workspace } = stageOf(text);
    return (activationParts['logits and loss'] ?? 0) + workspace;
  };
  const all = 32768 * 128256;
  for (const depths of [1, 2, 3]) expect(usual(depths)).toBe((4 * depths + 6) * all);
});

test('kernels: a fused loss reads each logit once, an eager one copies it, chunks take as many kernels each', () => {
  const speed = device({
    compute: 0,
    bandwidth: 1,
    memoryEfficiency: [
      { least: 0, share: 1 },
      { least: 1e30, share: 1 },
    ],
  });
  const forward = (loss: string) => kernelWork(head(loss).kernels(), speed, false).forward;
  expect(forward('parallel') - forward('fused')).toBe((6 + 8 - 2) * logits);
  expect(forward('compiled')).toBe(forward('fused'));
  expect(forward('eager')).toBe(forward('parallel'));
  // Each of the 4 chunks reads the matrix of the head.
  expect(forward('chunked(4)') - forward('eager')).toBe(3 * 2 * hidden * vocab);
  expect(
    head('chunked(4)')
      .kernels()
      .filter(({ count }) => count === 4),
  ).toHaveLength(3);
});

/** A GPU with Llama 3's vocabulary at 32k tokens; `shape` and `optimizer` as they are written. */
const file = (loss: string, optimizer: string, keys = ''): string => `
device d { memory = 80GiB  compute(bf16) = 900TFLOPS }
cluster c { gpu[2] = d  link = 400GB/s }
model m { precision = bf16  sequence = 32768
  layer head = lm_head(hidden = 4096, vocab = 128256, norm = rmsnorm${loss}) }
pipeline p { model = m  devices = c  microbatches = 4  data = 2  stages = balance(1)  schedule = 1f1b  optimizer = ${optimizer}
  ${keys} }
`;
const stageOf = (text: string) => planOf(text).stages[0];

test('FSDP holds 14 B of each of the 128,256 logits of 32k tokens: 29 GiB more than without it', () => {
  const all = 32768 * 128256;
  const held = (text: string) => {
    const { activation, workspace } = stageOf(text);
    return activation + workspace;
  };
  const gathered = held(file(', loss = fused', 'adam_mixed(shard = fsdp)')) - 2 * all;
  expect(held(file('', 'adam_mixed(shard = fsdp)')) - gathered).toBe(14 * all);
  expect(held(file('', 'adam_mixed(shard = zero3)')) - gathered).toBe(14 * all);
  expect(held(file('', 'megatron_bf16(shard = distributed)')) - held(file(', loss = fused', 'megatron_bf16'))).toBe(
    4 * all,
  );
  expect(((14 - 6) * all) / 2 ** 30).toBeCloseTo(31.3, 1);
});

test('a shard that splits nothing leaves the loss and the memory as they are', () => {
  const held = (optimizer: string, data: number) => stageOf(file('', optimizer).replace('data = 2', `data = ${data}`));
  for (const shard of ['fsdp', 'zero3']) {
    expect(held(`adam_mixed(shard = ${shard})`, 1)).toMatchObject(memoryOf(held('adam_mixed', 1)));
    expect(held(`adam_mixed(shard = ${shard}, over = 1)`, 2)).toMatchObject(memoryOf(held('adam_mixed', 2)));
  }
});

const memoryOf = ({ activation, workspace, weights, gradients, optimizer }: ReturnType<typeof stageOf>) => ({
  activation,
  workspace,
  weights,
  gradients,
  optimizer,
});

test('`loss = chunked(8)` is read; other values are told what may be written', () => {
  expect(stageOf(file(', loss = chunked(8)', 'adam_mixed')).workspace).toBeLessThan(2 * 32768 * 128256);
  const refused = (loss: string, messages: readonly string[]) =>
    checkFindings(file(`, loss = ${loss}`, 'adam_mixed'), messages);
  refused('chunked(⟦value/range:0⟧)', ['"chunks"']);
  refused('⟦name/unknown:chunked⟧', ['chunked']);
  refused('⟦key/missing:chunked()⟧', ['chunked(8)']);
  refused('⟦name/unknown:sliced⟧(8)', ['sliced']);
  refused('⟦type/mismatch:3⟧', ['`parallel` or `eager`']);
});
