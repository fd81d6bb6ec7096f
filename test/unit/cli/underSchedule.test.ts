/** `--schedule NAME` without a shape: the pipelines of a file under another schedule. */
import { describe, expect, test } from 'vitest';
import { call } from './harness.ts';

const pipeline = (name: string) =>
  `pipeline ${name} { model = even  devices = box  microbatches = m  stages = balance(4)  schedule = gpipe }\n`;
const head = `model even { layer block[8] { forward = 0.5ms  backward = 1ms  activation = 0.5MiB } }
device gpu { memory = 1GiB }
cluster box { gpu[4] = gpu  link = 1000GB/s + 0us }
param m = 8 in 1..64
`;
const files = { 'one.pipe': head + pipeline('train'), 'two.pipe': head + pipeline('a') + pipeline('b') };
const reportOf = async (...args: readonly string[]) => {
  const { out, err, status } = await call(['simulate', ...args, '--format', 'json'], { files });
  return { status, err, pipelines: status === 2 ? [] : JSON.parse(out).pipelines };
};

describe('simulate --schedule', () => {
  test('the pipeline of the file runs under it, with the costs of the file', async () => {
    const { status, err, pipelines } = await reportOf('one.pipe', '--schedule', '1f1b');
    expect([status, err]).toEqual([0, '']);
    // (m + p - 1)(F + B) = 11 * 3 ms; device d holds p - d microbatches of two layers, not all eight.
    expect(pipelines[0].iteration).toBeCloseTo(0.033, 12);
    expect(pipelines).toMatchObject([{ name: 'train', schedule: '1f1b' }]);
    expect(pipelines[0].devices.map(({ in_flight }: { in_flight: number }) => in_flight)).toEqual([4, 3, 2, 1]);
  });

  test('a param that the call sets still applies', async () => {
    const { pipelines } = await reportOf('one.pipe', '--schedule', '1f1b', '--set', 'm=16');
    expect(pipelines[0].iteration).toBeCloseTo(19 * 3e-3, 12);
  });

  test('the chosen pipeline only, otherwise each', async () => {
    const schedules = async (...more: readonly string[]) =>
      (await reportOf('two.pipe', '--schedule', '1f1b', ...more)).pipelines.map(
        ({ name, schedule }: { name: string; schedule: string }) => [name, schedule],
      );
    expect(await schedules('--pipeline', 'b')).toEqual([['b', '1f1b']]);
    expect(await schedules()).toEqual([
      ['a', '1f1b'],
      ['b', '1f1b'],
    ]);
  });

  test('the same figures as compare --schedules, which cuts the model again', async () => {
    const schedule = 'interleaved_1f1b(chunks = 2)';
    const { err, pipelines } = await reportOf('one.pipe', '--schedule', schedule);
    const compared = await call(['compare', 'one.pipe', '--schedules', schedule, '--format', 'json'], { files });
    expect(pipelines[0].iteration).toBe(JSON.parse(compared.out).rows[0].report.iteration);
    expect(err).toBe(`one.pipe: the stages of "train" are for ${schedule}; the file has balance(4).\n`);
  });

  test('a schedule that cannot run there is refused with the reason', async () => {
    const { status, err } = await reportOf('one.pipe', '--schedule', '1f1bb');
    expect(status).toBe(2);
    expect(err).toContain('Pipeline "train" of one.pipe does not run under 1f1bb: Unknown policy "1f1bb".');
  });
});

test('check and export take it too', async () => {
  const tight = { 'one.pipe': files['one.pipe'].replace('1GiB', '4.5MiB') };
  const check = async (...more: readonly string[]) => call(['check', 'one.pipe', ...more], { files: tight });
  // 8 microbatches of 2 layers of 0.5 MiB are 8 MiB on each device; 1F1B holds 4 at most.
  const { out: full } = await check();
  expect(full).toContain('error[memory/out-of-memory]');
  expect(full).toMatch(/\nTo search for settings that fit: pipewright plan one\.pipe\none\.pipe: 1 error/u);
  const under = await check('--schedule', '1f1b');
  expect(under.out).not.toMatch(/error\[|pipewright plan/u);
  const two = await call(['simulate', 'two.pipe'], {
    files: { 'two.pipe': files['two.pipe'].replace('1GiB', '4.5MiB') },
  });
  for (const name of ['a', 'b']) expect(two.out).toContain(`pipewright plan two.pipe --pipeline ${name}\n`);
  expect(under.status).toBe(0);
  expect((await check('--schedule', '1f1b', '--fix')).err).toContain('cannot be combined with --fix');
  const { out } = await call(['export', 'one.pipe', '--schedule', '1f1b', '--to', 'torch-csv'], { files });
  expect(out.split('\n')[3].trimEnd()).toMatch(/^,,,3F0,3B0,3F1,3B1/);
});
