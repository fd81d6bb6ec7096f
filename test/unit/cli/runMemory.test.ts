/** `compare --with`: the memory that a run took, next to the simulation. */
import { expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import { readSummary } from '../../../engine/formats/recording/readSummary.ts';
import { summaryOf } from '../../../engine/formats/recording/summary.ts';
import { withMemory } from '../../support/memoryEvents.ts';
import { filesOf, textOf, traceOf } from '../runs/traces.ts';
import { call } from './harness.ts';

const MiB = 2 ** 20;

/** Under 1F1B the first of two stages keeps two microbatches, and the last one keeps one. A gradient has as many bytes as its weight. */
const plan = `model m { layer l[2] { forward = 7ms  backward = 12ms  weights = 8MiB  activation = 3MiB } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;

const [first, second] = filesOf('mlp_1f1b_p2').map((file) => textOf(file));

const onHost = withMemory(first, [
  [1 * MiB, 5 * MiB, 0],
  [15 * MiB, 20 * MiB, 0],
  [-8 * MiB, 12 * MiB, 0],
]);
const onGpu = withMemory(second, [
  [1, 900 * MiB, 0],
  [2 * MiB, 102 * MiB, 1],
  [10 * MiB, 112 * MiB, 1],
  [-1 * MiB, 1, 0],
]);

const comparing = (files: Readonly<Record<string, string>>, ...more: readonly string[]) =>
  call(['compare', 'plan.pipe', '--with', ...Object.keys(files), ...more], { files: { 'plan.pipe': plan, ...files } });

test('peaks of a run stand beside the simulated ones', async () => {
  const files = { 'rank0.json': onHost, 'rank1.json': onGpu };
  const { out, err } = await comparing(files, '--format', 'json');
  expect(err).toBe('');
  const { runs } = JSON.parse(out) as { readonly runs: readonly [{ readonly memory: readonly object[] }] };
  expect(runs[0].memory).toEqual([
    // 4 MiB were there before the first event; with a GPU, the host's memory is none of the device's.
    { measured: 16 * MiB, simulated: (2 * 3 + 8) * MiB, gradients: 8 * MiB, activations: 2 * 3 * MiB },
    { measured: 12 * MiB, simulated: (3 + 8) * MiB, gradients: 8 * MiB, activations: 3 * MiB },
  ]);
  const shown = (await comparing(files)).out;
  expect(shown).toMatch(/gpu\[0\] +16 MiB +14 MiB +8 MiB\n/);
  expect(shown).toMatch(/gpu\[1\] +12 MiB +11 MiB +8 MiB\n/);
});

test('why the amounts differ is said next to them', async () => {
  const files = { 'rank0.json': onHost, 'rank1.json': onGpu };
  const said = (await comparing(files)).out.replaceAll(/\s+/g, ' ');
  expect(said).toContain('The measured peak also has what a plan leaves out: buffers of messages that an engine keeps');
  expect(said).toContain('do not prove the plan right or wrong');
  expect(said).not.toContain('have no `');
  const bare = plan.replace('  weights = 8MiB  activation = 3MiB', '');
  const { out } = await call(['compare', 'plan.pipe', '--with', ...Object.keys(files)], {
    files: { 'plan.pipe': bare, ...files },
  });
  expect(out).toContain('The layers of the plan have no `activation`, so the simulated peak has none.');
  expect(out).toContain('The layers of the plan have no `weights`, so the simulated peak has no gradients.');
  expect(
    Math.max(
      ...out
        .split('\n')
        .filter((line) => line.includes('peak'))
        .map((line) => line.length),
    ),
  ).toBeLessThan(101);
});

test('a rank without such events is unknown, and a run without any says nothing of memory', async () => {
  expect((await comparing({ 'rank0.json': onHost, 'rank1.json': second })).out).toMatch(/gpu\[1\] +unknown +11 MiB/);
  const none = { 'rank0.json': first, 'rank1.json': second };
  expect((await comparing(none)).out).not.toContain('memory');
  expect((await comparing(none, '--format', 'json')).out).not.toContain('"memory"');
});

test('a summary keeps the peaks', () => {
  const assembled = assemble([traceOf('rank0.json', onHost), traceOf('rank1.json', second)]);
  const recordings = 'faults' in assembled ? [] : assembled.recordings;
  expect([...(recordings[0].peaks ?? [])]).toEqual([16 * MiB, Number.NaN]);
  const { text } = summaryOf(recordings);
  const again = readSummary(text);
  expect('faults' in again ? again.faults : again.recordings[0].peaks).toEqual(recordings[0].peaks);
  const short = readSummary(text.replace(`"peaks":[${16 * MiB},null]`, '"peaks":[1.5]'));
  expect('faults' in short ? short.faults.map(({ message }) => message) : []).toEqual([
    '"peaks" must be a list of whole bytes.',
    '"peaks" must have an amount for each rank.',
  ]);
});
