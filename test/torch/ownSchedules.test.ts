/** Schedules that a user writes run in PyTorch in the order that we draw, and train as the unpipelined model does. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { B, F, I, kindOf, operationName, W } from '../../engine/values/program.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { runOf } from '../support/analyse.ts';
import { call } from '../unit/cli/harness.ts';
import { test } from '../support/plainTests.ts';
import { python, root } from './python.ts';

const ranks = 4;

interface Recipe {
  readonly name: string;
  /** Declarations before the pipeline. */
  readonly text: string;
  readonly use: string;
  readonly stages: number;
  readonly microbatches: number;
  readonly pipeline?: string;
}

/** The schedule of an example, without its model and pipelines. */
const example = (name: string): string =>
  readFileSync(path.join(root, 'examples/schedules', `${name}.pipe`), 'utf8').split(/^(?:model|expect|device) /mu)[0];

const recipes: readonly Recipe[] = [
  {
    name: 'interleaved.pipe',
    text: example('interleaved'),
    use: 'interleaved(chunks = 2)',
    stages: 8,
    microbatches: 8,
  },
  {
    name: 'breadth-first.pipe',
    text: example('breadth-first'),
    use: 'breadth(chunks = 2)',
    stages: 8,
    microbatches: 6,
  },
  { name: 'v-half.pipe', text: example('v-half'), use: 'half', stages: 8, microbatches: 6 },
  { name: 'v-min.pipe', text: example('v-min'), use: 'least', stages: 8, microbatches: 6 },
  { name: 'dualpipe-v.pipe', text: example('dualpipe-v'), use: 'folded(overlap = 50%)', stages: 8, microbatches: 8 },
  {
    name: 'varuna.pipe',
    text: example('varuna'),
    use: 'varuna',
    stages: 4,
    microbatches: 6,
    pipeline: 'recompute = full',
  },
  {
    name: 'a rule with conditions',
    text: 'schedule mine { backward = split  order = greedy(prefer = [I, F, W])  allow(F, s) = held(s) < stages - s  allow(W, s) = pending(F) == 0 }',
    use: 'mine',
    stages: 4,
    microbatches: 6,
  },
  {
    name: 'rows that split the backward on some devices',
    text: `schedule mine {
  param extra = 1 in 0..4
  let warm(d) = min(microbatches, devices - d + extra)
  let back(d, j) = if(mod(d, 2) == 0, [I[j], W[j]], B[j])
  row(d) = F[0..<warm(d)], each(j in 0..<microbatches-warm(d), back(d, j), F[j + warm(d)]), each(j in microbatches-warm(d)..<microbatches, back(d, j))
}`,
    use: 'mine(extra = 2)',
    stages: 4,
    microbatches: 7,
  },
  {
    name: 'a clock table',
    text: 'schedule clock { slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s }',
    use: 'clock',
    stages: 4,
    microbatches: 5,
  },
  {
    name: 'a schedule that declares a loss',
    text: `schedule mine {
  operation loss { time = 1ms  after(j) = F[j, stage = stages - 1]  before(j) = B[j, stage = stages - 1] }
  row(d) = F[0..<microbatches], if(d == devices - 1, loss[0..<microbatches], []), B[0..<microbatches]
}`,
    use: 'mine',
    stages: 4,
    microbatches: 4,
  },
];

const sourceOf = ({ text, use, stages, microbatches, pipeline = '' }: Recipe): string => `${text}
model toy { layer block[${stages}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  activation = 1MiB } }
device card { memory = 16GiB }
cluster four { gpu[${ranks}] = card  link = 25GB/s }
pipeline toy_train { model = toy  devices = four  microbatches = ${microbatches}  stages = balance(${stages})  schedule = ${use}  ${pipeline} }
`;

/** What each rank runs in our timeline; PyTorch has no other operations than these. */
function ourOrder(recipe: Recipe): readonly (readonly string[])[] {
  const { program } = runOf(sourceOf(recipe)).run;
  return Array.from({ length: ranks }, (_, device) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]))
      .filter((word) => [F, B, I, W].includes(kindOf(program, word)))
      .map((word) => operationName(program, word)),
  );
}

interface Answer {
  readonly ran: readonly string[];
  readonly worst: number;
  readonly compared: number;
}

/** What PyTorch ran, by rank and recipe. One group of processes for all: to start one takes seconds. */
let answers: readonly (readonly Answer[])[] | undefined;

async function theirSteps(): Promise<readonly (readonly Answer[])[]> {
  if (answers !== undefined) return answers;
  const folder = tempFolder('pipewright-torch-');
  const files: string[] = [];
  for (const [index, recipe] of recipes.entries()) {
    const source = { 'a.pipe': sourceOf(recipe) };
    const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-script'], { files: source });
    assert.equal(status, 0, `${recipe.name}: ${err}`);
    files.push(path.join(folder.path, `${index}.py`));
    writeFileSync(files[index], out);
  }
  const { status, out, err } = await python([path.join(import.meta.dirname, 'steps.py'), String(ranks), ...files]);
  folder.remove();
  assert.equal(status, 0, err);
  return (answers = JSON.parse(out) as (readonly Answer[])[]);
}

for (const [index, recipe] of recipes.entries()) {
  test(`${recipe.name} runs in PyTorch in our order and equals the unpipelined model`, async () => {
    const steps = (await theirSteps()).map((all) => all[index]);
    assert.deepEqual(
      steps.map(({ ran }) => ran),
      ourOrder(recipe),
    );
    // Two linear layers of each stage have a matrix and a bias each, and the last rank of the chain has the loss.
    assert.equal(
      steps.reduce((sum, { compared }) => sum + compared, 0),
      4 * recipe.stages + 1,
    );
    for (const { worst } of steps) assert.ok(worst <= 1e-9, String(worst));
  });
}
