/** Clock tables: the order of their slots, what they may not say, and what `fill` makes of them. */
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { kindOf, letters, microbatchOf, type Program, stageOf } from '../../../engine/values/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf, written } from './written.ts';

const found = (body: string, messages: readonly string[] = []) =>
  checkFindings(pipelineOf(`schedule mine { ${body} }`), messages);

type Shape = NonNullable<Parameters<typeof pipelineOf>[1]>;
const text = (body: string, shape?: Shape) => pipelineOf(`schedule mine { ${body} }`, shape);

describe('the order of slots', () => {
  const gpipe = 'slot(F, s, j) = s + j  slot(B, s, j) = 2 * (stages + microbatches) - s + j';
  it('is the order of a device', () => {
    expect(written(text(gpipe, { microbatches: 2 }))).toEqual(['0F0 0F1 0B0 0B1', '1F0 1F1 1B0 1B1']);
  });
  it('repeats with the period', () => {
    const block = 'period = 2  slot(F, s) = s  slot(B, s) = 2 * stages - 1 - s';
    const table = 'slot(F, s, j) = s + 2 * j  slot(B, s, j) = 2 * stages - 1 - s + 2 * j';
    for (const devices of [1, 2, 3, 5])
      expect(written(text(block, { devices }))).toEqual(written(text(table, { devices })));
    expect(written(text(block, { microbatches: 3 }))).toEqual(['0F0 0F1 0B0 0F2 0B1 0B2', '1F0 1B0 1F1 1B1 1F2 1B2']);
  });
  it('puts each W in the first free slot after its I', () => {
    const block = 'period = 3  slot(F, s) = s  slot(I, s) = 2 * stages - 1 - s  slot(W) = free';
    // Device 0: F in 0, 3, 6 and I in 3 + 3j would meet; with two stages I is in slots 3 - s.
    expect(written(text(block.replace('2 * stages - 1 - s', '2 * stages - s'), { microbatches: 3 }))).toEqual([
      '0F0 0F1 0I0 0W0 0F2 0I1 0W1 0I2 0W2',
      '1F0 1I0 1F1 1W0 1I1 1F2 1W1 1I2 1W2',
    ]);
  });
  it('knows what stages need if layers have branches', () => {
    // Stages 1 and 2 both need stage 0 only, and may have one slot.
    const table = text('slot(F, s, j) = 9 * j + min(s, 1) + max(s - 2, 0)  slot(B, s, j) = 9 * j + 8 - s', {
      devices: 4,
    });
    const branches = table.replace('layer block[4] { forward = 4ms  backward = 8ms }', branched);
    checkFindings(branches);
    const [first] = resolveText(
      branches.replace(branched, 'layer block[4] { forward = 4ms  backward = 8ms }'),
    ).findings;
    expect(first.message).toContain('2F0 is in slot 1 but needs 1F0, which is in slot 1');
  });
});

const branched = `layer a { forward = 4ms  backward = 8ms }
  layer b { forward = 4ms  backward = 8ms  after = [a] }
  layer c { forward = 4ms  backward = 8ms  after = [a] }
  layer d { forward = 4ms  backward = 8ms  after = [b, c] }`;

describe('what is no table', () => {
  it.each([
    [
      'slot(F, s, j) = j + s  ⟦schedule/slot:slot(B, s, j) = 2 * j + 3 - s⟧',
      '0B0 is in slot 3 of device 0, which holds 0F3',
    ],
    [
      '⟦schedule/slot:slot(F, s, j) = 2 * j⟧  slot(B, s, j) = 9 + 2 * j - s',
      '1F0 is in slot 0 but needs 0F0, which is in slot 0',
    ],
    ['slot(F, s, j) = 2 * j + s  ⟦schedule/slot:slot(B, s, j) = 2 * j + 2⟧', '0B0 is in slot 2 but needs 1B0'],
    ['slot(F, s, j) = j + s  ⟦schedule/slot:slot(B, s, j) = j + s⟧', '0B0 is in slot 0 but needs 0F0'],
    [
      'slot(F, s, j) = j + s  slot(I, s, j) = 20 + j - s  ⟦schedule/slot:slot(W, s, j) = 10 + j⟧',
      '0W0 is in slot 10 but needs 0I0',
    ],
    [
      'period = 2  slot(F, s) = s  ⟦schedule/slot:slot(B, s) = 4 - s⟧',
      '0B0 is in slot 4 and 0F0 is in slot 0 of device 0, which are equal modulo the period 2',
    ],
    ['⟦key/missing:slot⟧(F, s, j) = j', 'slot(B)'],
    ['⟦key/missing:slot⟧(F, s, j) = j  slot(I, s, j) = 9', 'slot(W)'],
    ['slot(F, s, j) = j  slot(B, s, j) = 9  ⟦type/mismatch:slot⟧(W) = free', 'slots of B and of W'],
    ['⟦type/mismatch:slot⟧(F) = free  slot(B, s, j) = 1', 'only W may be `free`'],
    ['slot(F, s, j) = ⟦name/unknown:free⟧ + 1  slot(B, s, j) = 1', 'free'],
    ['⟦key/missing:slot⟧(F, s) = s  slot(B, s, j) = 1', 'period'],
    ['period = 6  ⟦type/mismatch:slot⟧(F, s, j) = s  slot(B, s) = 1', 'because `period` repeats it'],
    ['slot(⟦name/unknown:G⟧, s, j) = s  slot(B, s, j) = 1', 'G'],
    ['⟦type/mismatch:slot⟧(0, s, j) = s  slot(B, s, j) = 1', 'a kind'],
    ['slot(F, s, j) = ⟦value/range:j / 2⟧  slot(B, s, j) = 1', 'The slot of F of stage 0, microbatch 1 is 0.5'],
    ['slot(F, s, j) = ⟦value/range:s - 1⟧  slot(B, s, j) = 1', 'is -1'],
    ['period = ⟦value/range:0⟧  slot(F, s) = s  slot(B, s) = 9 - s', 'The period is 0'],
    ['period = ⟦value/range:1000000000⟧  slot(F, s) = s  slot(B, s) = 9 - s', 'at most'],
    ['slot(F, s, j) = ⟦type/mismatch:F[0]⟧  slot(B, s, j) = 1', 'found operations'],
  ])('%s', (body, message) => {
    found(body, [message]);
  });
  it('says what the slots decide', () => {
    found(
      '⟦warning key/not-applicable:row⟧(d) = F[0]  ⟦warning key/not-applicable:backward⟧ = whole  slot(F, s, j) = j + s  slot(B, s, j) = 20 + j - s',
      ['the slots decide; only a row of one device', 'the slots decide'],
    );
    found(
      '⟦warning key/not-applicable:row⟧(0) = F[0]  period = 6  fill = true  slot(F, s) = s  slot(I, s) = 9 - s  slot(W) = free',
      ['write `fill = false`'],
    );
    found(
      '⟦warning key/not-applicable:period⟧ = 6  ⟦warning key/not-applicable:fill⟧ = true  row(d) = F[0..<microbatches], B[0..<microbatches]',
      ['has no slots', 'has no slots'],
    );
  });
  it('names the other slot', () => {
    const { findings } = resolveText(text('slot(F, s, j) = j + s  slot(B, s, j) = 2 * j + 3 - s'));
    expect(findings[0].related?.map(({ message }) => message)).toEqual(['The other slot.']);
  });
  it('is refused before memory is taken for it', () => {
    // Counted as F and B it is within the limit.
    const limits = { ...defaultOptions.limits, operations: 20 };
    const body = '⟦limit/too-large:slot⟧(F, s, j) = j + s  slot(I, s, j) = 20 + j - s  slot(W) = free';
    checkFindings(text(body), ['24, over the limit of 20'], { options: { ...defaultOptions, limits } });
  });
});

function made(body: string, shape?: Shape): { readonly plan: PipelinePlan; readonly program: Program } {
  const { plan, findings } = resolveText(text(body, shape));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  const generated = generate(pipeline);
  if (!('program' in generated)) throw new Error(generated.faults.map(({ message }) => message).join('\n'));
  return { plan: pipeline, program: generated.program };
}

function ends({ plan, program }: ReturnType<typeof made>): { readonly end: number; readonly held: readonly number[] } {
  expect(validate(program, plan)).toEqual([]);
  const timeline = simulate(program, timingOf(plan, program, { freeTransfers: true }));
  if (timeline === undefined) throw new Error('no timeline');
  return { end: timeline.makespan, held: plan.devices.map((_, device) => memoryPeak(plan, timeline, device).inFlight) };
}

const namesOf = (program: Program): readonly string[] =>
  Array.from(
    program.order,
    (word) => `${stageOf(program, word)}${letters[kindOf(program, word)]}${microbatchOf(program, word)}`,
  );

describe('fill', () => {
  // Wide gaps between the microbatches, which a list scheduler closes.
  const sparse =
    'slot(F, s, j) = 40 * j + 2 * s  slot(I, s, j) = 40 * j + 39 - 2 * s  slot(W, s, j) = 40 * j + 41 - 2 * s';
  const dense = 'slot(F, s, j) = j + s  slot(I, s, j) = 40 + 3 * j - s  slot(W, s, j) = 40 + 3 * j - s + 1';
  it.each([sparse, dense])('runs each operation once, holds no more and ends no later: %s', (body) => {
    for (const devices of [1, 2, 3, 4, 6]) {
      for (const microbatches of [1, 2, 5, 8]) {
        const plain = made(body, { devices, microbatches });
        const filled = made(`${body}  fill = true`, { devices, microbatches });
        expect([...namesOf(filled.program)].sort()).toEqual([...namesOf(plain.program)].sort());
        const [before, after] = [ends(plain), ends(filled)];
        expect(after.end).toBeLessThanOrEqual(before.end * (1 + 1e-12));
        for (const [device, most] of before.held.entries()) expect(after.held[device]).toBeLessThanOrEqual(most);
      }
    }
  });
  it('moves weight gradients to where a device idles', () => {
    // All W at the end: with a fill they run while a device waits for the input gradient, as in zero-bubble orders.
    const late = `slot(F, s, j) = 2 * j + s  slot(I, s, j) = 2 * stages - 1 - s + 2 * j  slot(W, s, j) = 100 + j`;
    const shape = { devices: 4, microbatches: 4 };
    expect(ends(made(`${late}  fill = true`, shape)).end).toBeLessThan(ends(made(late, shape)).end);
  });
});

describe('fill with weights last', () => {
  it('ends as early as any order can', () => {
    // The second device has six operations of 4 ms, and the first of them waits for the first device.
    const body = 'period = 3  slot(F, s) = s  slot(I, s) = 4 - s  slot(W) = free  fill = true';
    expect(ends(made(body, { devices: 2, microbatches: 2 })).end).toBeCloseTo(0.028, 12);
  });
});

describe('fill of chunks in a V', () => {
  it('is for blocks that repeat every six slots only', () => {
    // Every 20 slots: a microbatch leaves before the next one enters.
    const body = `placement = v_shape  period = 20  slot(F, s) = s  slot(I, s) = 2 * stages - 1 - s  slot(W) = free`;
    const shape = { devices: 2, stages: 4, microbatches: 6 };
    const [plain, filled] = [ends(made(body, shape)), ends(made(`${body}  fill = true`, shape))];
    expect(plain.held).toEqual([2, 2]);
    expect(filled.held).toEqual([2, 2]);
  });
});

describe('the hint of a block', () => {
  const hintOf = (body: string, shape: Shape) =>
    resolveText(text(body, shape)).derived.flatMap((derived) =>
      /at most/.test(derived.text) ? [derived.text.trim()] : [],
    );
  it('is ⌈life / period⌉, summed over the stages of a device', () => {
    for (const devices of [1, 2, 3, 4, 7]) {
      const body = 'period = 2  slot(F, s) = s  slot(B, s) = 2 * stages - 1 - s';
      // The longest life is on the first device: from slot 0 to 2p - 1.
      const most = Math.ceil((2 * devices) / 2);
      const unit = most === 1 ? 'microbatch' : 'microbatches';
      expect(hintOf(body, { devices, microbatches: 64 })).toEqual([`at most ${most} ${unit} on a device`]);
    }
  });
  it('needs no simulation, and is there once', () => {
    const body = 'placement = v_shape  period = 6  slot(F, s) = s  slot(I, s) = 2 * stages - 1 - s  slot(W) = free';
    const [hint] = hintOf(body, { devices: 2, stages: 4, microbatches: 16 });
    expect(hint).toMatch(/^at most \d chunks on a device$/);
    const twice = `${text(body, { devices: 2, stages: 4 })}
pipeline other { model = toy  devices = box  microbatches = 2  stages = balance(4)  schedule = mine }`;
    expect(resolveText(twice).derived.filter((derived) => /at most/.test(derived.text))).toHaveLength(1);
  });
});
