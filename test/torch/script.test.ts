import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pythonString } from '../../engine/formats/program/pythonString.ts';
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
  readonly data?: number;
  /** Further keys of the pipeline. */
  readonly keys?: string;
}

const sourceOf = ({ ranks, stages, microbatches, schedule, more = '', data = 1, keys = '' }: Recipe): string => `
model toy { layer block[${stages}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
device gpu { memory = 16GiB }
cluster box { gpu[${ranks * data}] = gpu  link = 25GB/s }
${more}
pipeline train { model = toy  devices = box  data = ${data}  microbatches = ${microbatches}  stages = balance(${stages})  schedule = ${schedule}  ${keys} }
`;

/** The exported program of a pipeline. */
async function scriptOf(recipe: Recipe): Promise<string> {
  const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-script'], {
    files: { 'a.pipe': sourceOf(recipe) },
  });
  assert.equal(status, 0, err);
  return out;
}

function runScript(
  text: string,
  run: (args: readonly string[]) => Answer | Promise<Answer> = python,
  options: readonly string[] = [],
) {
  const file = path.join(folder.path, 'script.py');
  writeFileSync(file, text);
  return run([file, '--spawn', '--check', ...options]);
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
  { ranks: 2, stages: 4, microbatches: 5, schedule: 'zb_v', data: 2 },
  { ranks: 2, stages: 2, microbatches: 3, schedule: '1f1b', data: 2, keys: 'rank_order = tp_cp_pp_dp' },
];

for (const recipe of recipes) {
  const { ranks, stages, microbatches, schedule } = recipe;
  test(`${schedule} on ${ranks} ranks${recipe.data === undefined ? '' : `, ${recipe.data} pipelines,`} runs in PyTorch and equals the unpipelined model`, async () => {
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

/** The unpipelined model gets another second stage. */
function otherWeights(script: string): string {
  const made = 'modules = [model.make_stage(index,';
  assert.ok(script.includes(made));
  return script.replace(made, 'modules = [model.make_stage(index + 7 * (index == 1),');
}

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
    const wrong = otherWeights(await inFormat(small));
    const { status, out, err } = await runScript(wrong);
    assert.equal(status, 1, err);
    assert.match(out, /^different: by /m);
  });
}

test('--check tells a model with other weights', async () => {
  const wrong = otherWeights(await scriptOf(small));
  const { status, out, err } = await runScript(wrong);
  assert.equal(status, 1, err);
  assert.match(out, /^different: by /m);
  assert.match(err, /rank 0: stage 0, gradient of inner\.weight differs/);
});

test('--check tells gradients that are only scaled', async () => {
  const wrong = (await scriptOf(small)).replace('loss_fn=model.loss)', 'loss_fn=model.loss, scale_grads=False)');
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

const own = `import torch

drawn = 0


def make_stage(index, layers):
    torch.manual_seed(index)
    return torch.nn.Sequential(*(torch.nn.Linear(6, 6) for _ in layers))


def make_input():
    global drawn
    drawn += 1
    torch.manual_seed(drawn)
    return torch.randn(24, 6)


def make_target():
    return torch.zeros(24, 6)


def loss(output, target):
    return ((output - target) ** 2).mean()


def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.1)
`;

test('your own stages get the names of their layers, train for some steps, and leave a trace of each rank', async () => {
  const model = path.join(folder.path, 'model.py');
  const traces = path.join(folder.path, 'traces');
  writeFileSync(model, own);
  const text = (await scriptOf({ ...small, data: 2, stages: 4, schedule: 'interleaved_1f1b(chunks = 2)' })).replace(
    /(?<=LAYERS = \[\n)[^]*?(?=\n\]\n)/,
    '    ["embed", "block[0]"],\n    ["block[1]"],\n    ["block[2]"],\n    ["head"],',
  );
  const { status, out, err } = await runScript(text, python, ['--model', model, '--steps', '3', '--profile', traces]);
  assert.equal(status, 0, `${out}${err}`);
  // float32: five linear layers.
  assert.match(out, /^equal: the loss and 10 gradients, to \S+$/m);
  const losses = [...out.matchAll(/^loss (.*)$/gm)].map(([, value]) => Number(value));
  assert.equal(new Set(losses).size, 3, out);
  for (let rank = 0; rank < 4; rank += 1) {
    const trace = JSON.parse(readFileSync(path.join(traces, `rank${rank}.json`), 'utf8')) as {
      readonly distributedInfo: {
        readonly rank: number;
        readonly pg_config: readonly { readonly pg_desc: string; readonly ranks: readonly number[] }[];
      };
      readonly traceEvents: readonly { readonly name: string; readonly cat?: string }[];
    };
    assert.equal(trace.distributedInfo.rank, rank);
    // Data ranks follow each other, so pipelines are two apart.
    const groups = trace.distributedInfo.pg_config.filter(({ pg_desc: name }) => name === 'mesh_pp');
    assert.deepEqual(
      groups.map(({ ranks }) => ranks),
      [[rank % 2, (rank % 2) + 2]],
    );
    const names = trace.traceEvents.filter(({ cat }) => cat === 'user_annotation').map(({ name }) => name);
    assert.equal(names.filter((name) => name.startsWith('ProfilerStep#')).length, 3);
    const stage = rank < 2 ? 0 : 1;
    for (const own of [stage, stage + 2])
      for (const operation of ['F0', 'F1', 'B0', 'B1'])
        assert.equal(names.filter((name) => name === `PP:${own}${operation}`).length, 3, `${rank} ${own}${operation}`);
  }
});

test('a model without what it needs, and no model, are named', async () => {
  const model = path.join(folder.path, 'empty.py');
  writeFileSync(model, 'def make_stage(index, layers): ...\n');
  const text = await scriptOf(small);
  const empty = await runScript(text, python, ['--model', model]);
  assert.deepEqual([empty.status, empty.out], [1, '']);
  assert.match(empty.err, /has no make_input, make_target, loss\./);
  const none = await runScript(text, python, ['--model', path.join(folder.path, 'none.py')]);
  assert.equal(none.status, 2);
  assert.match(none.err, /none\.py: there is no such file/);
});

test('a string literal of the program holds any name', async () => {
  const odd = ['a"b', 'back\\slash\\', 'line\nbreak', '"""', '日本語', '😀', '\u2028', "it's", '\0', '%s{x}'];
  const program = `import json, sys\njson.dump([${odd.map(pythonString).join(', ')}], sys.stdout)`;
  const { status, out, err } = await python(['-c', program]);
  assert.equal(status, 0, err);
  assert.deepEqual(JSON.parse(out), odd);
});
