/** The text of a built-in schedule, written into the file that uses it. */
import { describe, expect, test } from 'vitest';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';

const file = (schedule: string, stages = 4): string => `device gpu { memory = 64GiB }
cluster box { gpu[4] = gpu  link = 25GB/s + 5us }
model toy { layer block[${stages}] { forward = 2ms  backward = 5ms } }

/// Trains.
pipeline train { model = toy  devices = box  microbatches = 16  stages = balance(${stages})  schedule = ${schedule} }
`;

const offered = (text: string) => {
  const analysis = analyse(text);
  const found = refactorings(analysis, text.indexOf('schedule = ') + 13, checkedAfter(analysis)).filter(({ title }) =>
    title.startsWith('Write the text of'),
  );
  return { analysis, found };
};

/** Their text leaves the recomputation, or the lengths of segments, to the pipeline: it is not offered for another timeline. */
const partlyText: readonly string[] = ['torchgpipe', 'seq1f1b'];

describe.each([...scheduleTexts.keys()].filter((name) => !partlyText.includes(name)))('%s', (name) => {
  test('runs in the same order, with the same times', () => {
    const policy = findPolicy(name);
    if (policy === undefined) throw new Error(`no policy ${name}`);
    const text = file(name, 4 * policy.chunks({}));
    const { analysis, found } = offered(text);
    expect(found.map(({ title }) => title)).toEqual([
      `Write the text of "${name}" into the file: order and figures stay the same`,
    ]);
    const changed = apply(text, found[0].edits);
    expect(changed).toContain(`schedule ${name}_copy {`);
    expect(changed).toContain(`}\n\n/// Trains.\npipeline`);
    const [before, after] = [analysis, analyse(changed)].map(({ pipelines }) => pipelines[0].run?.timeline);
    expect(after?.makespan).toBe(before?.makespan);
    expect(after?.program.order).toEqual(before?.program.order);
    expect(after?.program.fused).toEqual(before?.program.fused);
    expect(after?.program.placement).toEqual(before?.program.placement);
  });
});

test('arguments stay, and the name is free', () => {
  const text = `let zb_h1_copy = 1\n${file('interleaved_1f1b(chunks = 4)', 16)}`;
  const changed = apply(text, offered(text).found[0].edits);
  expect(changed).toContain('schedule = interleaved_1f1b_copy(chunks = 4)');
  const taken = `let zb_h1_copy = 1\n${file('zb_h1')}`;
  expect(apply(taken, offered(taken).found[0].edits)).toContain('schedule zb_h1_copy2 {');
});

test('lines end as in the file, and a declaration before it in the line stays in front', () => {
  const windows = file('1f1b').replaceAll('\n', '\r\n');
  expect(apply(windows, offered(windows).found[0].edits).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const line = file('1f1b').replaceAll(/\n\n?(\/\/\/ Trains.\n)?/g, ' ');
  expect(analyse(apply(line, offered(line).found[0].edits)).pipelines[0].run).toBeDefined();
});

test('is written as rows if no text runs the same order', () => {
  for (const schedule of ['1f1b(warmup = [4, 3, 2, 2])', 'zb_auto', 'search']) {
    const text = file(schedule);
    const { found, analysis } = offered(text);
    expect(found.map(({ title }) => title)).toEqual([
      `Write the text of "${schedule.split('(')[0]}" into the file for 4 devices and 16 microbatches: order and figures stay the same`,
    ]);
    const after = analyse(apply(text, found[0].edits));
    expect(after.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const orders = [analysis, after].map(({ pipelines }) => pipelines[0].run?.timeline.program.order);
    expect(orders[1]).toEqual(orders[0]);
    expect(after.pipelines[0].run?.timeline.makespan).toBe(analysis.pipelines[0].run?.timeline.makespan);
  }
});

test.each([2, 5])(
  'says by how much the peak differs: %i chunks share the buffers of transfers, written ones do not',
  (chunks) => {
    const text = file(`interleaved_1f1b(chunks = ${chunks})`, 4 * chunks).replace(
      'backward',
      'output = 1MiB  backward',
    );
    const { found, analysis } = offered(text);
    expect(found.map(({ title }) => title)).toEqual([
      expect.stringMatching(/into the file.*: order and times stay the same, peak \+[\d.]+ MiB$/),
    ]);
    const [before, after] = [analysis, analyse(apply(text, found[0].edits))].map(({ pipelines }) => pipelines[0].run);
    expect(after?.timeline.makespan).toBe(before?.timeline.makespan);
    expect(after?.timeline.program.order).toEqual(before?.timeline.program.order);
    const peak = (run: typeof before) => Math.max(...(run?.report.devices ?? []).map((device) => device.peak));
    expect(found[0].title).toContain(`peak +${(peak(after) - peak(before)) / 2 ** 20} MiB`);
  },
);

test('is refused with the reason if no text of a schedule runs the same order', () => {
  const { found } = offered(file('torchgpipe'));
  expect(found).toEqual([
    {
      title: 'Write the text of "torchgpipe" into the file',
      edits: [],
      refused: 'No text of a schedule runs the same operations at the same times.',
    },
  ]);
});

test('is not offered for what is no built-in schedule', () => {
  for (const schedule of ['1f1b(recompute = stage)', 'nowhere']) expect(offered(file(schedule)).found).toEqual([]);
  const declared = `schedule zb_h1 { row(d) = F[0..<microbatches], B[0..<microbatches] }\n${file('zb_h1')}`;
  expect(offered(declared).found).toEqual([]);
});

test('is refused for so many operations that running both would delay the list', () => {
  const counts = [12_000, 13_000].map((microbatches) => {
    const text = file('1f1b').replace('microbatches = 16', `microbatches = ${microbatches}`);
    return offered(text).found[0].refused;
  });
  // 4 stages, F and B of each microbatch: 96,000 and 104,000 operations.
  expect(counts).toEqual([undefined, 'Its 104,000 operations are too many to compare: up to 100,000 are.']);
});
