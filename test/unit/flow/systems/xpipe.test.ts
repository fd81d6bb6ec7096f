import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';
import { exampleText } from '../../../support/example.ts';
import { analyse } from '../../../support/analyse.ts';

test('the schedule may say the microbatches of a minibatch again, but not others', () => {
  const errors = (own: number) =>
    analyse(exampleText('systems/xpipe.pipe').replace('= xpipe', `= xpipe(microbatches = ${own})`)).findings.filter(
      ({ severity }) => severity === 'error',
    );
  expect(errors(4)).toEqual([]);
  const [fault] = errors(6);
  expect(fault).toMatchObject({ code: 'schedule/shape' });
  expect(fault.message).toContain('6 microbatches, but the pipeline gives it 4');
});

test.each([1, 2, 4, 8])('xpipe.pipe with %i microbatches: prediction, period, memory', (m) => {
  const report = analyseExample('systems/xpipe.pipe', { microbatches: m }).pipelines[0]?.run?.report;
  const [p, F, B] = [4, 2e-3, 2e-3];
  expect(report?.asynchronous).toMatchObject({ weights: 'predict', steady: true });
  expect(report?.iteration).toBeCloseTo(m * (F + B), 7);
  for (const [s, stage] of (report?.stages ?? []).entries()) {
    expect(stage.prediction?.forward).toBe(Math.round((p + m - Math.floor(s / 2) - 2) / m));
    expect(stage.prediction?.backward).toBe(Math.round((m + Math.ceil(s / 2) - 1) / m));
  }
  for (const [s, device] of (report?.devices ?? []).entries()) {
    expect(device.memory.versions).toBe(2 * 64 * 2 ** 20);
    expect(device.in_flight).toBe(p - s);
  }
});
