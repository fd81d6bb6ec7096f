import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pythonString } from '../../engine/formats/torchScript/pythonString.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { call } from '../unit/cli/harness.ts';
import { test } from '../support/plainTests.ts';
import { type Answer, newPython, python } from './python.ts';

const folder = tempFolder('pipewright-torch-');
process.once('exit', folder.remove);

interface Recipe {
  readonly ranks: number;
  readonly stages: number;
  readonly microbatches: number;
  readonly schedule: string;
  /** Declarations beside the pipeline. */
  readonly more?: string;
}

const sourceOf = ({ ranks, stages, microbatches, schedule, more = '' }: Recipe): string => `
model toy { layer block[${stages}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
device gpu { memory = 16GiB }
cluster box { gpu[${ranks}] = gpu  link = 25GB/s }
${more}
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = ${schedule} }
`;

/** The exported program of a pipeline. */
async function scriptOf(recipe: Recipe): Promise<string> {
  const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-script'], {
    files: { 'a.pipe': sourceOf(recipe) },
  });
  assert.equal(status, 0, err);
  return out;
}

function runScript(text: string, run: (args: readonly string[]) => Answer | Promise<Answer> = python) {
  const file = path.join(folder.path, 'script.py');
  writeFileSync(file, text);
  return run([file, '--spawn', '--check']);
}

const byHand = `schedule by_hand {
  placement = [[0, 3], [1, 2]]
  row(0) = F[0..3, stage = 0], F[0, stage = 3], B[0, stage = 3], fused(F[1, stage = 3], I[0, stage = 0]), B[1, stage = 3], F[2, stage = 3], B[2, stage = 3], F[3, stage = 3], B[3, stage = 3], W[0, stage = 0], I[1..3, stage = 0], W[1..3, stage = 0]
  row(1) = zip(F[0..3, stage = 1], F[0..3, stage = 2]), zip(B[0..3, stage = 2], B[0..3, stage = 1])
}
`;

const recipes: readonly Recipe[] = [
  { ranks: 1, stages: 1, microbatches: 3, schedule: '1f1b' },
  { ranks: 2, stages: 2, microbatches: 4, schedule: '1f1b' },
  { ranks: 2, stages: 4, microbatches: 5, schedule: 'zb_v' },
  { ranks: 2, stages: 8, microbatches: 4, schedule: 'hanayo(waves = 2)' },
  { ranks: 2, stages: 4, microbatches: 6, schedule: 'dualpipe_v' },
  { ranks: 2, stages: 4, microbatches: 4, schedule: 'by_hand', more: byHand },
  { ranks: 4, stages: 4, microbatches: 8, schedule: 'gpipe' },
  { ranks: 4, stages: 4, microbatches: 6, schedule: '1f1b' },
  { ranks: 4, stages: 8, microbatches: 8, schedule: 'interleaved_1f1b(chunks = 2)' },
  { ranks: 4, stages: 4, microbatches: 8, schedule: 'zb_h1' },
];

for (const recipe of recipes) {
  const { ranks, stages, microbatches, schedule } = recipe;
  test(`${schedule} on ${ranks} ranks runs in PyTorch and equals the unpipelined model`, async () => {
    const { status, out, err } = await runScript(await scriptOf(recipe));
    assert.equal(status, 0, `${out}${err}`);
    // Two linear layers of each stage have a matrix and a bias each.
    assert.match(out, new RegExp(`^equal: the loss and ${4 * stages} gradients, to \\S+$`, 'm'), `${microbatches}`);
  });
}

test('a program brings all that it needs into a new Python', async () => {
  const { status, out, err } = await runScript(await scriptOf(recipes[1]), newPython);
  assert.equal(status, 0, `${out}${err}`);
  assert.match(out, /^equal: /m);
});

const small: Recipe = { ranks: 2, stages: 2, microbatches: 2, schedule: '1f1b' };

for (const format of ['float32', 'bfloat16']) {
  const inFormat = async (recipe: Recipe) =>
    (await scriptOf(recipe)).replace('DTYPE = torch.float64', `DTYPE = torch.${format}`);
  test(`a model in ${format} is compared at its precision`, async () => {
    const { status, out, err } = await runScript(await inFormat(recipes[7]));
    assert.equal(status, 0, `${out}${err}`);
    assert.match(out, /^equal: the loss and 16 gradients, to /m);
  });
  test(`--check tells a model in ${format} with other weights`, async () => {
    const wrong = (await inFormat(small)).replace(
      'modules = [make_stage(index)',
      'modules = [make_stage(index + 7 * (index == 1))',
    );
    const { status, out, err } = await runScript(wrong);
    assert.equal(status, 1, err);
    assert.match(out, /^different: by /m);
  });
}

test('--check tells a model with other weights', async () => {
  const wrong = (await scriptOf(small)).replace(
    'modules = [make_stage(index)',
    'modules = [make_stage(index + 7 * (index == 1))',
  );
  const { status, out, err } = await runScript(wrong);
  assert.equal(status, 1, err);
  assert.match(out, /^different: by /m);
  assert.match(err, /rank 0: stage 0, gradient of inner\.weight differs/);
});

test('--check tells gradients that are only scaled', async () => {
  const wrong = (await scriptOf(small)).replace('loss_fn=loss)', 'loss_fn=loss, scale_grads=False)');
  const { status, out, err } = await runScript(wrong);
  assert.equal(status, 1, err);
  assert.match(out, /^different: by 1 at most/m);
});

test('what is refused for the order of its losses goes wrong in PyTorch', async () => {
  const inOrder = await scriptOf({ ...small, schedule: 'gpipe' });
  assert.ok(inOrder.includes('\n1F0,1F1,1B0,1B1\n'), inOrder);
  const { status, err } = await runScript(inOrder.replace('1F0,1F1,1B0,1B1', '1F1,1F0,1B1,1B0'));
  assert.equal(status, 1);
  assert.match(err, /caught exception at step \d+ when running action 1B0\./);
});

test('a string literal of the program holds any name', async () => {
  const odd = ['a"b', 'back\\slash\\', 'line\nbreak', '"""', '日本語', '😀', '\u2028', "it's", '\0', '%s{x}'];
  const program = `import json, sys\njson.dump([${odd.map(pythonString).join(', ')}], sys.stdout)`;
  const { status, out, err } = await python(['-c', program]);
  assert.equal(status, 0, err);
  assert.deepEqual(JSON.parse(out), odd);
});
