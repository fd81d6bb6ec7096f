/** Structured logs of torchtitan: whole iterations without a profiler. */
import { describe, expect, test } from 'vitest';
import { runReader } from '../../../engine/formats/recording/reader.ts';
import { loggedRun, otherSteps, plainSteps } from '../../../engine/runs/logged.ts';
import type { LoggedRank } from '../../../engine/values/recording.ts';
import { call } from '../cli/harness.ts';

/** Lines as torchtitan's `TraceJsonlFormatter` writes them, of steps that take these milliseconds and begin one after the other. */
function logOf(rank: number, steps: readonly number[], tags: Readonly<Record<number, string>> = {}): string {
  const lines: object[] = [{ log_type: 'instant', log_type_name: 'training_start', value: null }];
  let at = 1_709_500_000_000_000 + rank;
  for (const [index, milliseconds] of steps.entries()) {
    const step = index + 1;
    const event = (log_type_name: string, more: object = {}): object => ({
      ...{ log_type: 'event', log_type_name, step, relative_step: step, time_us: at, ...more },
    });
    const found = tags[step] === undefined ? {} : { step_tags: [tags[step]] };
    lines.push(event('step_start'), event('fwd_bwd_start'));
    at += (milliseconds - 10) * 1000;
    lines.push(event('fwd_bwd_end', { value: milliseconds - 10, ...found }), event('optim_start'));
    at += 8000;
    lines.push(event('optim_end', { value: 8, ...found }), event('step_end', { value: milliseconds - 2, ...found }));
    at += 2000;
  }
  const common = { delta_ms: 0.1, rank, source: 'training', host_name: 'node7', pid: 41, caller: 'trainer.py:1:train' };
  return lines.map((line, seq_id) => `${JSON.stringify({ ...common, time_us: at, ...line, seq_id })}\n`).join('');
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

function readLog(text: string, chunk = 97): LoggedRank {
  const reader = runReader('training.global_rank_0.jsonl', bytesOf(text));
  if (reader === undefined) throw new Error('no log');
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += chunk) {
    const fault = reader.push(bytes.subarray(at, at + chunk));
    if (fault !== undefined) throw new Error(`${fault.line + 1}: ${fault.message}`);
  }
  const part = reader.end();
  if (!('logged' in part)) throw new Error('fault' in part ? part.fault.message : 'no log');
  return part.logged;
}

test('an iteration is from the start of a step to the start of the next one', () => {
  const { rank, steps } = readLog(logOf(3, [500, 100, 120]));
  expect(rank).toBe(3);
  expect(steps.map(({ number, seconds }) => [number, Math.round(seconds * 1e6)])).toEqual([
    [1, 500_000],
    [2, 100_000],
    // Of the last one only the span is known.
    [3, 118_000],
  ]);
  expect(steps[1].spans).toEqual([
    { name: 'fwd_bwd', seconds: 0.09 },
    { name: 'optim', seconds: 0.008 },
  ]);
});

test('steps that did something else are left out, and named', () => {
  const tags = { 3: 'gc', 5: 'checkpoint_save' };
  const run = loggedRun([0, 1].map((rank) => readLog(logOf(rank, [500, 100, 300, 104, 900, 108], tags))));
  expect(run.ranks).toEqual([0, 1]);
  expect(plainSteps(run).map(({ number }) => number)).toEqual([1, 2, 4, 6]);
  expect(otherSteps(run)).toBe('step 3 (gc) and step 5 (checkpoint_save)');
});

test('a step counts if all ranks have it; a rank that was started again has its newest log', () => {
  const [short, long] = [logOf(0, [500, 100]), logOf(1, [500, 200, 120])].map((text) => readLog(text));
  expect(loggedRun([short, long]).steps.map(({ seconds }) => Math.round(seconds * 1e3))).toEqual([500, 149]);
  const again = loggedRun([readLog(logOf(0, [500, 100])), readLog(logOf(0, [50, 60, 70]))]);
  expect(again.steps.map(({ seconds }) => Math.round(seconds * 1e3))).toEqual([50, 60, 68]);
});

test.each([
  ['a line that is cut off', (text: string) => text.slice(0, -30), /^$|JSON/],
  ['a record of another rank', (text: string) => text + logOf(1, [5]), /of rank 1, and those before are of rank 0/],
  ['a record without a rank', (text: string) => `${text}{"log_type_name":"step_start"}\n`, /no "rank"/],
  ['a span without its time', (text: string) => text.replace('"value":90', '"other":90'), /no "value"/],
  ['no step', () => `${JSON.stringify({ rank: 0, log_type_name: 'training_start', time_us: 1 })}\n`, /no whole step/],
])('%s is told', (_, damage, message) => {
  expect(() => readLog(damage(logOf(0, [500, 100])))).toThrow(message);
});

describe('on the command line', () => {
  const plan = `model m { layer l[2] { forward = 7ms  backward = 5ms } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  measured = trace("run.jsonl") }
expect t { drift < 10% }
`;
  const files = { 'plan.pipe': plan, 'run.jsonl': logOf(0, [500, 110, 112, 108, 110, 112]) };
  const calling = (...args: readonly string[]) => call(args, { files });

  test('compare says how long iterations took, and that nothing tells why', async () => {
    const { status, out } = await calling('compare', 'plan.pipe', '--with', 'run.jsonl');
    expect(status).toBe(0);
    expect(out).toContain('planned 108 ms, measured 110 ms ± ');
    expect(out).toContain('On the host  fwd_bwd 100 ms, optim 8 ms');
    expect(out).toContain('record a trace of some steps');
    const data = JSON.parse((await calling('compare', 'plan.pipe', '--with', 'run.jsonl', '--format', 'json')).out) as {
      readonly logged: { readonly planned: number; readonly steps: number };
    };
    expect(data.logged).toMatchObject({ planned: expect.closeTo(0.108) as unknown, steps: 5, ranks: [0] });
  });

  test('measured compares whole iterations', async () => {
    const { status, out } = await calling('simulate', 'plan.pipe', '--format', 'json');
    expect(status).toBe(0);
    const [{ measured }] = (JSON.parse(out) as { pipelines: [{ measured: object }] }).pipelines;
    expect(measured).toMatchObject({ whole: true, simulated: expect.closeTo(0.108) as unknown });
  });

  test('calibrate and import refuse what has no operations', async () => {
    const calibrated = await calling('calibrate', 'plan.pipe', '--with', 'run.jsonl');
    expect(calibrated).toMatchObject({ status: 1, out: '' });
    expect(calibrated.err).toContain('the log has whole iterations, and no times of operations');
    expect((await calling('import', 'run.jsonl')).err).toContain('no times of operations');
  });
});
