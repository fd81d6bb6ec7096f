/** Hovers say what trains, and what a stage has on its host. */
import { expect, test } from 'vitest';
import type { Hover, MarkupContent } from 'vscode-languageserver';
import { main, positionAt, withClient } from '../../support/server.ts';

/** A layer of h = 1024 has 12h² weights without biases, and 2h of its norms. */
const source = (trainable: string, more = '') => `
model gpt {
  sequence = 1024
  layer first[4] { shape = transformer(hidden = 1024, heads = 16, bias = false, norm = rmsnorm)${trainable} }
  layer last[4] = transformer(hidden = 1024, heads = 16, bias = false, norm = rmsnorm)
}
device card { memory = 64GiB  compute = 100TFLOPS  host = 10GB/s }
cluster box { gpu[2] = card  link = 100GB/s }
pipeline run {
  model = gpt  devices = box  microbatches = 4  ${more}
  stage low { layers = first, last[0] }
  stage high { layers = last[1..3] }
  schedule = 1f1b
}
`;

async function hovers(text: string, marks: readonly string[]): Promise<readonly string[]> {
  const shown: string[] = [];
  await withClient(async (client) => {
    client.open(main, text);
    for (const mark of marks) {
      const found = await client.request<Hover | null>('textDocument/hover', {
        textDocument: { uri: main },
        position: positionAt(text, text.indexOf(mark)),
      });
      shown.push((found?.contents as MarkupContent | undefined)?.value ?? '');
    }
  });
  return shown;
}

test('a model, a stage and a layer say how many parameters train', async () => {
  // 12 · 1024² + 2 · 1024 = 12,584,960 each; four layers are frozen, one of the first stage is not.
  const [model, low, high, layer] = await hovers(source('  trainable = false'), [
    'gpt {',
    'low {',
    'high {',
    'first[4]',
  ]);
  expect(model).toContain('101 M parameters: 50.3 M trainable, 50.3 M frozen.');
  expect(low).toContain('| of these, trainable | 12.6 M |');
  expect(low).toContain('| of these, frozen | 50.3 M |');
  expect(high).not.toContain('frozen');
  expect(layer).toContain('| of these, trainable | 0 |');
  expect(layer).toContain('| of these, frozen | 12.6 M |');
});

test('where all train there is one number', async () => {
  const [model, low, layer] = await hovers(source(''), ['gpt {', 'low {', 'first[4]']);
  expect(model).toContain('101 M parameters.');
  expect(`${model}${low}${layer}`).not.toContain('frozen');
});

test('a stage says which activations are on its host', async () => {
  const text = source('').replaceAll('transformer(', 'transformer(dropout = false, flash = true, ');
  const [low, high] = await hovers(
    text.replace('microbatches = 4', 'microbatches = 4  offload = activations(layers = 2)'),
    ['low {', 'high {'],
  );
  const [plain] = await hovers(text, ['low {']);
  // A token keeps 2 bytes of: norms 2h, inputs 2h, queries, keys and values 3h, result h, 4h and 4h of the MLP; and the log-sum-exp, 4a.
  const kept = (2 * 1024 * (2 * 2 + 3 + 1 + 8) + 4 * 16) * 1024;
  expect(low).toContain(
    `| activations on the host | ${((2 * kept) / 2 ** 20).toPrecision(3)} MiB of 2 layers, copied in ${(((2 * kept) / 1e10) * 1e3).toPrecision(3)} ms in each direction, `,
  );
  expect(high).toContain('of 2 layers, copied in');
  expect(plain).not.toContain('host |');
});
