import { describe, expect, test } from 'vitest';
import { codes } from '../../../engine/findings/catalogue.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { format, LineIndex, parse } from '../../../grammar/index.ts';
import { analyseExample } from '../../support/analyse.ts';
import { exampleNames, exampleText } from '../../support/example.ts';

function reportOf(name: string, pipeline: string, overrides?: Readonly<Record<string, number>>): PipelineReport {
  const found = analyseExample(name, overrides).pipelines.find((evaluation) => evaluation.plan.name === pipeline)?.run
    ?.report;
  if (found === undefined) throw new Error(`${name} has no pipeline ${pipeline} that runs`);
  return found;
}

test.each(exampleNames.filter((name) => name !== 'broken.pipe'))('%s is laid out by the formatter', (name) => {
  expect(format(parse(exampleText(name)))).toEqual({ ok: true, text: exampleText(name) });
});

describe('quickstart.pipe', () => {
  // Two layers of 4 ms and 8 ms a stage; a transfer of 256 KiB at 25 GB/s and 5 µs of latency.
  const [p, F, B] = [4, 0.008, 0.016];
  const c = (256 * 1024) / 25e9 + 5e-6;

  test.each([4, 8, 16, 64])('1F1B of %i microbatches meets its closed form', (m) => {
    const { iteration, bubble, devices } = reportOf('quickstart.pipe', 'train', { microbatches: m });
    const expected = (m + p - 1) * (F + B) + ((2 * (p - 1) * m) / p + 2 * (p - 2)) * c;
    expect(iteration).toBeCloseTo(expected, 12);
    expect(bubble.makespan).toBeCloseTo(1 - (m * (F + B)) / expected, 12);
    expect(devices.map((device) => device.in_flight)).toEqual([4, 3, 2, 1]);
  });

  test('as it is: a bubble of 27.3 %, and peaks of weights, gradients, activations in flight and a buffer for each neighbour', () => {
    const { bubble, devices } = reportOf('quickstart.pipe', 'train');
    expect((100 * bubble.makespan).toFixed(1)).toBe('27.3');
    const MiB = 2 ** 20;
    const neighbours = [1, 2, 2, 1];
    expect(devices.map((device) => device.peak)).toEqual(
      [4, 3, 2, 1].map((inFlight, device) => (2 * (256 + 256 + inFlight * 512) + neighbours[device] / 4) * MiB),
    );
  });
});

describe('the GPT examples', () => {
  /** Narayanan et al. (arXiv:2104.04473), equation 2. */
  const parameters = (l: number, h: number, V: number, s: number) =>
    12 * l * h ** 2 * (1 + 13 / (12 * h) + (V + s) / (12 * l * h));

  test.each([
    ['gpt-22b.pipe', 'paper', parameters(48, 6144, 51200, 2048)],
    ['gpt-22b.pipe', 'wide', parameters(48, 6144, 51200, 2048)],
    ['gpt-175b.pipe', 'interleaved', parameters(96, 12288, 51200, 2048)],
    ['gpt-175b.pipe', 'plain', parameters(96, 12288, 51200, 2048)],
  ])('%s, %s: the parameters are those of the closed form', (name, pipeline, expected) => {
    const counted = reportOf(name, pipeline).stages.reduce((sum, stage) => sum + stage.parameters, 0);
    // The closed form leaves out the last norm, 2h parameters; a tied head is a copy that is counted once.
    expect(Math.abs(counted - expected) / expected).toBeLessThan(1e-5);
  });

  test('times stay within 15 % of those that the paper measured', () => {
    // arXiv:2205.05198, table 5: seconds an iteration with sequence parallelism and selective recomputation.
    for (const [name, pipeline, measured] of [
      ['gpt-22b.pipe', 'paper', 1.1],
      ['gpt-175b.pipe', 'interleaved', 13.75],
    ] as const) {
      const { iteration } = reportOf(name, pipeline);
      expect(Math.abs(iteration / measured - 1)).toBeLessThan(0.15);
    }
  });

  test('interleaving divides the bubble by the chunks, nearly', () => {
    const [interleaved, plain] = ['interleaved', 'plain'].map((name) => reportOf('gpt-175b.pipe', name).bubble.span);
    expect(interleaved).toBeLessThan(plain / 2);
  });
});

test('custom-schedule.pipe: the rows are 1F1B, and the rule does no worse', () => {
  const [rows, rule] = ['by_rows', 'by_rule'].map((name) => reportOf('custom-schedule.pipe', name));
  expect(rows.devices.map((device) => device.in_flight)).toEqual([4, 3, 2, 1]);
  expect(rule.iteration).toBeLessThanOrEqual(rows.iteration);
});

describe('broken.pipe', () => {
  const text = exampleText('broken.pipe');
  const analysis = analyseExample('broken.pipe');
  const lines = new LineIndex(text);
  const raised = analysis.findings.map((found) => ({ ...found, line: lines.positionAt(found.place.start).line }));
  const promised = text.split('\n').flatMap((line, index) => {
    const code = codes.find((candidate) => line.endsWith(`// ${candidate}`));
    return code === undefined ? [] : [{ code, line: index }];
  });

  test.each(promised)('line $line raises $code', ({ code, line }) => {
    expect(raised.filter((found) => found.line === line).map((found) => found.code)).toContain(code);
  });

  test('no line raises an error that it does not promise', () => {
    const surprises = raised.filter(
      (found) =>
        found.severity === 'error' &&
        !promised.some((candidate) => candidate.code === found.code && candidate.line === found.line),
    );
    expect(surprises.map(({ code, line, message }) => `${line + 1}: ${code}: ${message}`)).toEqual([]);
  });

  test('every code that one file can raise is there', () => {
    const elsewhere = [
      ...['import/outside-workspace', 'import/unreadable', 'syntax/unclosed'],
      // Editors look for shorter orders, and read recorded runs, after the check.
      ...['schedule/shorter-order', 'measured/reading', 'measured/unread', 'measured/other-run'],
    ];
    const missing = codes.filter(
      (code) => !promised.some((candidate) => candidate.code === code) && !elsewhere.includes(code),
    );
    expect(missing).toEqual([]);
  });
});
