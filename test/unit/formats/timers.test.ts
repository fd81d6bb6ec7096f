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

  test.each([
    [
      '(min, max) time across ranks (ms):\n    forward-compute ................................: (54.85, 57.36)',
      'names none',
    ],
    ['max time across ranks (ms):\n    forward-compute ................................: 57.36', 'names none'],
    ['times across ranks (ms):\n  optimizer:\n     rank  0: 0.43', 'no "forward-compute"'],
    [`  pipeline_model_parallel_size ... 3\n${all([40, 80])}`, '4 ranks, which are not equally many for each of 3'],
  ])('what names no stage is refused: %s', (text, message) => {
    const made = importText(text);
    expect(made !== undefined && 'faults' in made ? made.faults[0].message : '').toContain(message);
  });
});

test('timers of DeepSpeed are of rank 0, under the older names too', () => {
  const line = (forward: string, backward: string): string =>
    `steps: 2 loss: 1.0000 iter time (s): 0.189 samples/sec: 42.253\n[Rank 0] time (ms) | ${forward}: 57.36 | ${backward}: 84.89 | step_microstep: 0.43`;
  for (const log of [line('fwd_microstep', 'bwd_microstep'), line('forward_microstep', 'backward_microstep')]) {
    const pipe = imported(log);
    expect(pipe).toContain('layer stage0 { forward = 57.36ms / microbatches  backward = 84.89ms / microbatches }');
    expect(pipe).toContain('rank 0 alone');
  }
});
