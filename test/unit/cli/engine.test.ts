import { expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call, good } from './harness.ts';

const zb = good.replace('schedule     = 1f1b', 'schedule     = zb_h1');
const files = { 'zb.pipe': zb, 'good.pipe': good, 'a.pipe': shaped };

test('check says what the engine of --engine does not run, and lists fixes that it runs', async () => {
  const free = await call(['check', 'zb.pipe', '--fixes'], { files });
  expect(free.out).not.toContain('engine/unsupported');
  const { out } = await call(['check', 'zb.pipe', '--fixes', '--engine', 'megatron'], { files });
  expect(out).toContain('warning[engine/unsupported]: Megatron runs `1f1b` and `interleaved_1f1b`, not `zb_h1`.');
  expect(out).toMatch(/fix: Use 1f1b: /);
  expect(out).not.toContain('paper only');
  const wrong = await call(['check', 'zb.pipe', '--engine', 'megatorn'], { files });
  expect(wrong.status).toBe(2);
  expect(wrong.err).toContain('Did you mean "megatron"?');
});

test('check --fixes says who runs the changed pipeline', async () => {
  const { out } = await call(['check', 'good.pipe', '--fixes'], { files });
  expect(out).toMatch(/fix: Use zb_\w+.* \(torchtitan · PyTorch\)$/m);
  expect(out).toMatch(/fix: Set microbatches to \d+.* \(any engine\)$/m);
});

test('compare says who runs each row, or what the engine does not run', async () => {
  const free = await call(['compare', 'good.pipe', '--schedules', '1f1b, zb_h1'], { files });
  expect(free.out).toMatch(/^Runs on\n {2}1f1b +any engine\n {2}zb_h1 +torchtitan · PyTorch$/m);
  const bound = await call(['compare', 'good.pipe', '--schedules', '1f1b, zb_h1', '--engine', 'deepspeed'], { files });
  expect(bound.out).not.toContain('Runs on');
  expect(bound.out).toContain('Not run by the engine\n  zb_h1: DeepSpeed runs `1f1b`, not `zb_h1`.');
});

test('plan leaves out what the engine does not run', async () => {
  const over = ['--over', 'schedule = [1f1b, zb_h1], recompute = [none, full]', '--format', 'json', '--threads', '1'];
  const answer = async (...more: readonly string[]): Promise<PlanAnswer> =>
    JSON.parse((await call(['plan', 'a.pipe', '--pipeline', 'train', ...over, ...more], { files })).out) as PlanAnswer;
  const free = await answer();
  expect(free.points.some(({ settings }) => settings['schedule'] === 'zb_h1')).toBe(true);
  expect(free.points.every(({ runs_on: runs }) => runs !== undefined && runs.length > 0)).toBe(true);
  const bound = await answer('--engine', 'megatron');
  expect(bound.points.map(({ settings }) => settings['schedule'] ?? '1f1b')).not.toContain('zb_h1');
  expect(bound.points.length).toBeGreaterThan(0);
  expect(bound.refused.map(({ reason }) => reason).join(' ')).toContain('Megatron runs');
});

test('check and simulate say where the file names another engine than the call', async () => {
  const text = good.replace('schedule     = 1f1b', 'schedule     = 1f1b\n  engine       = megatron');
  const remark = 'pipewright: own.pipe: --engine torchtitan is not used for "train", which has `engine = megatron`.\n';
  for (const command of ['check', 'simulate']) {
    const { err } = await call([command, 'own.pipe', '--engine', 'torchtitan'], { files: { 'own.pipe': text } });
    expect(err).toBe(remark);
    const same = await call([command, 'own.pipe', '--engine', 'megatron'], { files: { 'own.pipe': text } });
    expect(same.err).toBe('');
    const none = await call([command, 'good.pipe', '--engine', 'torchtitan'], { files });
    expect(none.err).toBe('');
  }
});

test.each([
  ['tensor=4', /^pipewright check: Unknown param "tensor"\. .* use pipewright plan FILE --over "tensor = \[/],
  [
    'schedule=zb_h1',
    /takes NAME=VALUE with a number, such as microbatches=8, not .* use pipewright compare FILE --schedules "1f1b, zb_h1"\./,
  ],
  ['schedule=zb_v', / --over "schedule = \[1f1b, zb_v\]"\. .* --schedules "1f1b, zb_v"\./],
  ['data=4', /write "param data = 4" above it.* --over "data = \[2, 4\]"\./],
  ['memory=2GiB', /write "param memory = 16GiB" above it/],
  ['microbatches=4ms', /"microbatches" is a plain number, now 8, and --set gives a time\./],
  ['lr', /takes NAME=VALUE with a number, such as microbatches=8, not "lr"\.$/m],
  ['engine=megatron', /For a pipeline without `engine`, use --engine\./],
  ['batch=4', /^pipewright check: Unknown param "batch"\. The file has the param microbatches = 8\.$/m],
])('--set %s names the option that tries other values', async (setting, words) => {
  const { err, status } = await call(['check', 'good.pipe', '--set', setting], { files });
  expect(status).toBe(2);
  expect(err).toMatch(words);
});
