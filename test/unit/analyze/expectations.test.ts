import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { ExpectPlan } from '../../../engine/values/plan.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { analyse } from '../../support/analyse.ts';

const base = { path: 'expect:train/0', text: 'as written' };

/** Messages of what does not hold: 1F1B, 4 stages, 8 microbatches of F = 1 s and B = 2 s; iteration 33 s, bubble 3/11. */
const failing = (...expects: readonly Omit<ExpectPlan, 'path' | 'text'>[]) =>
  evaluate(
    {
      ...recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b') }),
      expects: expects.map((each) => ({ ...base, ...each })),
    },
    defaultOptions,
  )
    .findings.filter((finding) => finding.code === 'expect/failed')
    .map((finding) => finding.message);

describe('expectations', () => {
  it('say where a longer proof may make a gap smaller, and not of an order that is proven to be the shortest', () => {
    const [open] = failing({ figure: 'gap', operator: '<', bound: 0.01, dimension: 'share' });
    expect(open).toMatch(/quick bound of a check \(`pipewright search FILE --verify` may prove more\)\.$/);
    const plan = recipePlan({ devices: 1, microbatches: 8, schedule: policy('1f1b') });
    const gap: ExpectPlan = { ...base, figure: 'gap', operator: '>', bound: 0.01, dimension: 'share' };
    const [shortest] = evaluate({ ...plan, expects: [gap] }, defaultOptions).findings;
    expect(shortest?.message).toBe('Expected as written, but it is 0 %.');
  });

  it('say a figure in the decimal unit of the condition, in which it is on the wrong side of the bound', () => {
    // 70.5e9 bytes are 65.7 GiB, which reads as under 70 GB.
    const plan = recipePlan({ devices: 1, microbatches: 1, schedule: policy('1f1b'), activation: 70.5e9 });
    const under = (bound: number, text: string): ExpectPlan => ({
      ...{ ...base, text, bound, figure: 'peak_memory', operator: '<', dimension: 'bytes' },
    });
    const messages = (expect: ExpectPlan) =>
      evaluate({ ...plan, expects: [expect] }, defaultOptions)
        .findings.filter(({ code }) => code === 'expect/failed')
        .map(({ message }) => message);
    expect(messages(under(70e9, 'peak_memory < 70GB'))).toEqual(['Expected peak_memory < 70GB, but it is 70.5 GB.']);
    expect(messages(under(60 * 2 ** 30, 'peak_memory < 60GiB'))[0]).toContain('but it is 65.7 GiB.');
  });

  it('hold or not by the figures of the report', () => {
    expect(
      failing(
        { figure: 'iteration', operator: '<=', bound: 33, dimension: 'time' },
        { figure: 'bubble', operator: '<', bound: 0.28, dimension: 'share' },
        { figure: 'span_bubble', operator: '>', bound: 0.27, dimension: 'share' },
        { figure: 'throughput', operator: '==', bound: 8 / 33, dimension: 'rate' },
        { figure: 'in_flight', stage: 1, operator: '==', bound: 3, dimension: 'number' },
        { figure: 'peak_memory', device: 3, operator: '<=', bound: 1, dimension: 'bytes' },
        { figure: 'staleness', operator: '<=', bound: 0, dimension: 'number' },
        { figure: 'versions', operator: '==', bound: 1, dimension: 'number' },
        { figure: 'exposed_communication', operator: '==', bound: 0, dimension: 'share' },
      ),
    ).toEqual([]);
  });

  it('of MFU say what is no model FLOPs: recomputation and idle time', () => {
    const text = (recompute: string, check = 'mfu > 90%') => `
device gpu { memory = 80GiB  compute = 100TFLOPS  bandwidth = 100TB/s }
cluster box { gpu[2] = gpu  link = 400GB/s }
model m { sequence = 1024  micro_batch = 1  layer block[4] = transformer(hidden = 1024, heads = 8) }
pipeline train { model = m  devices = box  microbatches = 2  stages = balance(2)  schedule = 1f1b  optimizer = adam_mixed  ${recompute} }
expect train { ${check} }`;
    const messageOf = (written: string) =>
      analyse(written).findings.find(({ code }) => code === 'expect/failed')?.message ?? '';
    // Every forward runs again: one of four equal parts of what devices compute. They idle for (p - 1) / (m + p - 1) of the time.
    const [, again, idle] =
      /: of the iteration ([\d.]+) % is recomputation and ([\d.]+) % is idle time\.$/.exec(
        messageOf(text('recompute = full')),
      ) ?? [];
    expect(Number(again) / (100 - Number(idle))).toBeCloseTo(0.25, 1);
    expect(Number(idle) / 100).toBeCloseTo(1 / 3, 1);
    expect(messageOf(text(''))).toMatch(/: of the iteration [\d.]+ % is idle time\.$/);
    expect(messageOf(text('', 'mfu < 1%'))).toMatch(/but it is [\d.]+ %\.$/);
  });

  it('of a device’s span count what it idles between its first start and its last end, and nothing else', () => {
    const devices = [0, 1, 2, 3];
    // Device i starts i seconds late and ends 2i seconds early, and works 8 (F + B) = 24 s of the 33 s.
    expect(
      failing(
        ...devices.map((device) => ({
          figure: 'span_bubble' as const,
          device,
          operator: '==' as const,
          bound: 1 - 24 / (33 - 3 * device),
          dimension: 'share' as const,
        })),
      ),
    ).toEqual([]);
  });

  it('say that a count never equals a fraction, unless parts of microbatches are counted', () => {
    const fraction = { figure: 'in_flight', operator: '==', bound: 1.5, dimension: 'number' } as const;
    const note = ', always a whole number, and 1.5 is none: round it with `div(a, b)` or `floor(x)`.';
    expect(failing(fraction)).toEqual([`Expected as written, but it is 4${note}`]);
    expect(failing({ ...fraction, figure: 'versions' })).toEqual([`Expected as written, but it is 1${note}`]);
    expect(failing({ ...fraction, bound: 2 }, { ...fraction, operator: '<' })).toEqual([
      'Expected as written, but it is 4.',
      'Expected as written, but it is 4.',
    ]);
    const halves = recipePlan({
      devices: 2,
      stages: 4,
      microbatches: 4,
      schedule: policy('interleaved_1f1b', { chunks: 2 }),
    });
    const found = evaluate({ ...halves, expects: [{ ...base, ...fraction }] }, defaultOptions).findings;
    expect(found.find(({ code }) => code === 'expect/failed')?.message).not.toContain('whole number');
  });

  it('say what the figure is', () => {
    expect(failing({ figure: 'iteration', operator: '<', bound: 33, dimension: 'time' })).toEqual([
      'Expected as written, but it is 33 s (33 against 33).',
    ]);
    expect(failing({ figure: 'in_flight', operator: '<', bound: 4, dimension: 'number' })).toHaveLength(1);
    expect(failing({ figure: 'bubble', device: 0, operator: '!=', bound: 3 / 11, dimension: 'share' })).toHaveLength(1);
  });

  it('that miss by less than is shown are told with more digits', () => {
    expect(failing({ figure: 'bubble', operator: '<', bound: 0.2727, dimension: 'share' })).toEqual([
      'Expected as written, but it is 27.3 % (0.272727273 against 0.2727).',
    ]);
  });

  it('are never compared with NaN: a pipeline that takes no time has shares of 0', () => {
    const none = { forward: [0], backwardInput: [0], backwardWeight: [0] };
    const plan = recipePlan({ devices: 2, microbatches: 2, schedule: policy('1f1b'), ...none });
    const figures = ['bubble', 'span_bubble', 'exposed_communication', 'throughput', 'iteration'] as const;
    const expects = figures.flatMap((figure) =>
      [undefined, 0].map((device) => ({
        ...base,
        figure,
        device,
        operator: '==' as const,
        bound: 0,
        dimension: 'share' as const,
      })),
    );
    const { findings } = evaluate({ ...plan, expects }, defaultOptions);
    expect(findings).toEqual([]);
  });
});
