/** Logs of timers, as `timers.py` of Megatron-LM and `timer.py` of DeepSpeed print them. */
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { resolveText } from '../../support/resolve.ts';

const iteration = (number: number, milliseconds: number): string =>
  ` [2026-11-21 00:00:01.000000] iteration        ${number}/       6 | consumed samples:           16 | elapsed time per iteration (ms): ${milliseconds} | learning rate: 1.000000E-03 | global batch size:     8 | lm loss: 1.000000E+00 |`;

const rank = (number: number, milliseconds: number): string =>
  `     rank ${String(number).padStart(2)}: ${milliseconds.toFixed(2)}`;

const all = (...iterations: readonly (readonly [number, number])[]): string =>
  iterations
    .map(([forward, backward], at) =>
      [
        iteration(at + 2, 180 + at),
        'times across ranks (ms):',
        '  forward-backward:',
        ...[0, 1, 2, 3].map((one) => rank(one, 500)),
        '  forward-compute:',
        ...[0, 1, 2, 3].map((one) => rank(one, forward * (one + 1))),
        '  backward-compute:',
        ...[0, 1, 2, 3].map((one) => rank(one, backward * (one + 1))),
        '  optimizer:',
        ...[0, 1, 2, 3].map((one) => rank(one, 0.5)),
      ].join('\n'),
    )
    .join('\n');

const imported = (text: string): string => {
  const made = importText(text);
  if (made === undefined || 'faults' in made) throw new Error(made?.faults[0].message ?? 'no format');
  expect(resolveText(`${made.pipe}\n`).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return made.pipe;
};

describe('timers of Megatron-LM', () => {
  test('the mean over iterations is shared among microbatches, which are a param', () => {
    const pipe = imported(all([40, 80], [44, 88]));
    expect(pipe).toContain('Iteration: 180.5 ms measured.');
    expect(pipe).toContain('param microbatches = 8 in 1..65536');
    expect(pipe).toContain('layer stage0 { forward = 42ms / microbatches  backward = 84ms / microbatches }');
    expect(pipe).toContain('layer stage3 { forward = 168ms / microbatches  backward = 336ms / microbatches }');
  });

  test('arguments at the beginning of the log give stages and microbatches', () => {
    const head = [
      '  data_parallel_size .............................. 2',
      '  global_batch_size ............................... 64',
      '  micro_batch_size ................................ 2',
      '  pipeline_model_parallel_size .................... 2',
    ].join('\n');
    const pipe = imported(`${head}\n${all([40, 80])}`);
    expect(pipe).toContain('param microbatches = 16 in');
    // Ranks 0 and 1 are of the first stage: 40 and 80.
    expect(pipe).toContain('layer stage0 { forward = 60ms / microbatches');
    expect(pipe).toContain('layer stage1 { forward = 140ms / microbatches');
    expect(pipe).not.toContain('does not say how many');
  });

  const first = 'layer stage0 { forward = 42ms / microbatches  backward = 84ms / microbatches }';
  const last = 'layer stage3 { forward = 168ms / microbatches  backward = 336ms / microbatches }';
  const logged = all([40, 80], [44, 88]).replaceAll('times across', 'INFO:megatron.core.timers:times across');
  const before = (text: string, prefix: string): string => text.replaceAll(/^/gm, prefix);

  test.each([
    ['the logger of current versions', logged],
    ['srun --label', before(all([40, 80], [44, 88]), '3: ')],
    ['srun --label of many processes', before(logged, ' 3: ')],
    ['torchrun --tee', before(all([40, 80], [44, 88]), '[default3]:')],
    ['torchrun and the logger', before(logged, '[default3]:')],
    ['mpirun', before(logged, '[1,3]<stdout>:')],
    ['a host and a time', before(logged, 'node7: 2026-11-21T00:00:01 ')],
    [
      'times that differ',
      logged
        .split('\n')
        .map((line, at) => `${String(at).padStart(3)} s: ${line}`)
        .join('\n'),
    ],
  ])('prefixes before each line are no part of it: %s', (_, text) => {
    const pipe = imported(text);
    expect(pipe).toContain('4 stages of the timers');
    expect(pipe).toContain('Iteration: 180.5 ms measured.');
    expect(pipe).toContain(first);
    expect(pipe).toContain(last);
  });

  test('lines of several processes may alternate', () => {
    const [one, other] = [before(all([40, 80]), '[default3]:'), before(all([44, 88]), '[default7]:').split('\n')];
    // The other process is 6 lines behind: its timer is another one at most lines.
    const lines = one.split('\n');
    const mixed = Array.from({ length: lines.length + 6 }, (_, at) => [lines[at] ?? '', other[at - 6] ?? '']).flat();
    const pipe = imported(mixed.join('\n'));
    expect(pipe).toContain(first);
    expect(pipe).toContain(last);
  });

  test.each([
    [
      '3: (min, max) time across ranks (ms):\n3:     forward-compute ....: (54.85, 57.36)',
      'has only the least and the most time of all ranks',
    ],
    [
      'INFO:megatron.core.timers:max time across ranks (ms):\n    forward-compute ....: 57.36',
      'has only the least and the most time of all ranks',
    ],
    [
      '(min, max) time across ranks (ms):\n    forward-compute ................................: (54.85, 57.36)',
      'has only the least and the most time of all ranks',
    ],
    [
      'max time across ranks (ms):\n    forward-compute ................................: 57.36',
      'has only the least and the most time of all ranks',
    ],
    ['times across ranks (ms):\n  optimizer:\n     rank  0: 0.43', 'no "forward-compute"'],
    [`  pipeline_model_parallel_size ... 3\n${all([40, 80])}`, '4 ranks, which is not a multiple of 3'],
  ])('what names no stage is refused: %s', (text, message) => {
    const made = importText(text);
    expect(made !== undefined && 'faults' in made ? made.faults[0].message : '').toContain(message);
  });
});

const log = '[2026-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] ';
const micro = (forward: number, backward: number): string =>
  `${log}time (ms) | fwd_microstep: ${forward.toFixed(2)} | bwd_microstep: ${backward.toFixed(2)} | bwd_inner_microstep: 9.00 | bwd_allreduce_microstep: 5.00 | step_microstep: 20.00`;
const global = (forward: number, backward: number): string =>
  `${log}time (ms) | fwd: ${forward.toFixed(2)} | bwd: ${backward.toFixed(2)} | bwd_inner: 9.00 | bwd_allreduce: 5.00 | step: 20.00`;
const steps = (step: number): string => `steps: ${step} loss: 1.0000 iter time (s): 0.400 samples/sec: 80.0`;
/** As the pipeline engine prints when `step` is a multiple of `steps_per_print`. */
const printed = (step: number, sum: number): readonly string[] => [
  micro(sum, sum * 2),
  global(sum, sum * 2),
  steps(step),
  `${log}time (ms) | pipe_send_output: 1.00 | pipe_recv_grad: 2.00`,
];
const configuration = [
  '[2026-01-01 00:00:00,000] [INFO] [config.py:1000:print]   gradient_accumulation_steps .. 16',
  '[2026-01-01 00:00:00,000] [INFO] [config.py:1000:print]   steps_per_print .............. 10',
];

describe('timers of DeepSpeed', () => {
  test('are of rank 0, under the older names too', () => {
    const line = (forward: string, backward: string): string =>
      `[Rank 0] time (ms) | ${forward}: 57.36 | ${backward}: 84.89 | step_microstep: 0.43\n${steps(1)}`;
    for (const text of [line('fwd_microstep', 'bwd_microstep'), line('forward_microstep', 'backward_microstep')]) {
      const pipe = imported(text);
      expect(pipe).toContain('layer stage0 { forward = 57.36ms / microbatches  backward = 84.89ms / microbatches }');
      expect(pipe).toContain('rank 0 alone');
    }
  });

  // A microbatch's forward takes 10 ms and its backward 20 ms; a step has 8 microbatches.
  test.each([
    ['prints of a run', [...printed(10, 800), ...printed(20, 800), ...printed(30, 800)], 30],
    ['a print of each step', [...printed(1, 80), ...printed(2, 80)], 2],
    ['one print', printed(10, 800), 10],
    [
      'a run that went on from step 1003: its first print is of 7 steps, which nothing says',
      [...printed(1010, 560), ...printed(1020, 800)],
      10,
    ],
    ['a print whose timers were cut away', [...printed(10, 800), steps(20), ...printed(30, 800)], 20],
    [
      'a print whose steps were cut away',
      [...printed(10, 800), micro(800, 1600), global(800, 1600), ...printed(30, 800)],
      30,
    ],
    ['a run that began anew', [...printed(10, 800), ...printed(20, 800), ...printed(10, 800), ...printed(20, 800)], 30],
    ['an excerpt that begins with the steps', [steps(10), micro(800, 1600), steps(20), micro(800, 1600)], 20],
  ])('are sums over the steps of a print: %s', (_, lines, counted) => {
    const pipe = imported(lines.join('\n'));
    expect(pipe).toContain('layer stage0 { forward = 80ms / microbatches  backward = 160ms / microbatches }');
    expect(pipe).toContain(`sums over ${counted} step`);
    expect(pipe).toContain('Iteration: 400 ms measured.');
  });

  test('the configuration that DeepSpeed prints gives microbatches, and steps where the log has none', () => {
    const cut = [...configuration, micro(1600, 3200), global(1600, 3200), micro(1600, 3200), global(1600, 3200)];
    for (const lines of [cut, [...configuration, ...printed(1010, 1600)]]) {
      const pipe = imported(lines.join('\n'));
      expect(pipe).toContain('layer stage0 { forward = 160ms / microbatches  backward = 320ms / microbatches }');
      expect(pipe).toContain('param microbatches = 16 in');
      expect(pipe).not.toContain('does not say how many microbatches');
    }
    const short = imported(['[INFO] CONFIG: micro_batches=4 micro_batch_size=2', ...printed(1, 40)].join('\n'));
    expect(short).toContain('param microbatches = 4 in');
  });

  test('without either the number of steps is missing', () => {
    const made = importText([micro(800, 1600), global(800, 1600)].join('\n'));
    const message = made !== undefined && 'faults' in made ? made.faults[0].message : '';
    expect(message).toContain('"steps: 10 loss: …"');
    expect(message).toContain('steps_per_print');
  });

  test('with one microbatch a step, the log has to say whether its timers are of a pipeline', () => {
    const lines = [configuration[1], micro(100, 200), global(100, 200)];
    const made = importText(lines.join('\n'));
    const message = made !== undefined && 'faults' in made ? made.faults[0].message : '';
    expect(message).toContain('of several steps if they are of a pipeline, and of one microbatch if not');
    const pipe = imported([...lines, `${log}time (ms) | pipe_send_output: 1.00 | pipe_recv_grad: 2.00`].join('\n'));
    expect(pipe).toContain('layer stage0 { forward = 10ms / microbatches  backward = 20ms / microbatches }');
  });

  test('a line for each microbatch is of the engine without a pipeline', () => {
    const pipe = imported([micro(54.76, 122.95), micro(0.38, 57.88), global(55.15, 180.82)].join('\n'));
    expect(pipe).toContain('layer stage0 { forward = 27.57ms  backward = 90.415ms }');
    expect(pipe).not.toContain('/ microbatches');
    expect(pipe).toContain('without a pipeline');
  });
});
