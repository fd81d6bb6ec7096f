import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { usualMargin } from '../../../engine/analyze/spread.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { DevicePlan, PipelinePlan, StagePlan } from '../../../engine/values/plan.ts';
import { recipePlan, policy } from '../support/plans.ts';

const GiB = 2 ** 30;
const stage: Partial<StagePlan> = {
  weights: 2 * GiB,
  gradients: 2 * GiB,
  optimizer: 8 * GiB,
  activation: 1.5 * GiB,
  workspace: 0.5 * GiB,
};

/** Four devices of this kind: weights, gradients and optimizer of 12 GiB on each, and min(m, p − i) activations of 1.5 GiB. */
const four = (device: Partial<DevicePlan>, schedule = policy('1f1b'), more: Partial<StagePlan> = {}): PipelinePlan => {
  const plan = recipePlan({ devices: 4, microbatches: 8, schedule, stage: { ...stage, ...more } });
  return { ...plan, devices: plan.devices.map((devicePlan) => ({ ...devicePlan, kind: 'v100', ...device })) };
};
const found = (plan: PipelinePlan) =>
  evaluate(plan, defaultOptions).findings.filter(({ code }) => code.startsWith('memory/'));

describe('memory/out-of-memory', () => {
  it('tells what the peak is made of, when it is, and what others hold', () => {
    const device = {
      memory: 18 * GiB,
      reserved: 2 * GiB,
      reservedParts: { context: 1.5 * GiB, communicators: 0.5 * GiB },
    };
    const all = found(four(device));
    expect(all.map(({ message }) => message)).toEqual([
      // Ends of the last forwards of the warm-up: 4, 4, 4 and, of the last device, 4 too.
      'Stage "s0" needs 18.5 GiB at 4 s, 2.5 GiB over the 16 GiB of gpu[0]: weights 2 GiB, gradients 2 GiB, optimizer 8 GiB, activations 6 GiB (4 microbatches in flight), workspace 512 MiB.',
      'Stage "s1" needs 17 GiB at 4 s, 1 GiB over the 16 GiB of gpu[1]: weights 2 GiB, gradients 2 GiB, optimizer 8 GiB, activations 4.5 GiB (3 microbatches in flight), workspace 512 MiB.',
    ]);
    expect(all[0].related).toEqual([
      {
        at: 'device:v100/memory',
        message: '18 GiB, of which 2 GiB are reserved: context 1.5 GiB, communicators 512 MiB',
      },
    ]);
  });

  it('comes first from the device that is most over, wherever that is', () => {
    const plan = recipePlan({ devices: 3, microbatches: 3, schedule: policy('gpipe'), activation: GiB });
    const memory = [2.5, 1, 2].map((size) => size * GiB);
    const uneven = { ...plan, devices: plan.devices.map((device, index) => ({ ...device, memory: memory[index] })) };
    expect(found(uneven).map(({ about }) => about?.name)).toEqual(['gpu[1]', 'gpu[2]', 'gpu[0]']);
    const [first, ...others] = found(uneven);
    expect(first.message).toContain('2 GiB over the 1 GiB of gpu[1]');
    expect(others).toHaveLength(2);
  });

  it('names the stages where a device has several, and what W has left to do', () => {
    const chunked = recipePlan({
      devices: 2,
      stages: 4,
      microbatches: 4,
      schedule: policy('interleaved_1f1b'),
      stage: { activation: GiB },
      memory: 1,
    });
    // Device 0 of two with two chunks: (p − 1) · 2 + (v − 1) · p + 1 = 5 of them.
    expect(found(chunked)[0].message).toContain('activations 5 GiB (3 microbatches of s0 and 2 of s2 in flight).');
    const split = found(four({ memory: 1 }, policy('zb_h1'), { ...stage, activationForWeight: GiB }));
    expect(split.map(({ message }) => message).join('\n')).toMatch(/activations for W \d GiB \(\d microbatch(es)?\)/);
  });

  it('says no more than what there is', () => {
    const plan = four({ memory: 10 * GiB }, policy('1f1b'), { activation: 0, workspace: 0 });
    const [{ message, related }] = found(plan);
    expect(message).toMatch(/10 GiB of gpu\[0\]: weights 2 GiB, gradients 2 GiB, optimizer 8 GiB\.$/);
    expect(related.map((one) => one.message)).toEqual(['v100 has 10 GiB']);
  });
});

describe('memory/headroom', () => {
  // The fullest device needs 18.5 GiB: of 19 GiB it leaves 2.6 %, of 20 GiB 7.5 %.
  it('is a warning within the margin where the file says what others hold', () => {
    const [one, ...more] = found(four({ memory: 21 * GiB, reserved: 2 * GiB }));
    expect(more).toEqual([]);
    expect(one).toMatchObject({ code: 'memory/headroom', severity: 'warning', at: 'train/stage:0' });
    expect(one.message).toMatch(/^gpu\[0\] has 512 MiB left of 19 GiB \(2\.6 %\) at its peak, under the margin of 6 %/);
    expect(one.related[0].message).toBe('21 GiB, of which 2 GiB are reserved');
  });

  it('is an information where it does not', () => {
    expect(found(four({ memory: 19 * GiB }))).toMatchObject([{ code: 'memory/headroom', severity: 'information' }]);
  });

  it('has the margin that published runs of the kind have, unless the user sets one', () => {
    const runKind = { device: 'hopper', format: 'fp8', experts: false, nodes: 'several' } as const;
    const margin = usualMargin(runKind);
    expect(margin).not.toBe(usualMargin(undefined));
    const left = (share: number): PipelinePlan => ({ ...four({ memory: (18.5 * GiB) / (1 - share) }), runKind });
    expect(found(left(margin + 0.001))).toEqual([]);
    const [one] = found(left(margin - 0.001));
    const { runs = 0, fit = 0 } = evaluate(left(margin - 0.001), defaultOptions).run?.report.accuracy?.memory ?? {};
    expect(fit).toBeLessThan(runs);
    expect(one.message).toContain(
      `with the excess that published runs of its kind have, it fits in ${fit} of ${runs}.`,
    );
    const thresholds = { ...defaultOptions.thresholds, headroom: 0.01 };
    const set = evaluate(left(0.02), { ...defaultOptions, thresholds }).findings.map(({ code }) => code);
    expect(set).not.toContain('memory/headroom');
  });

  it('is silent over the margin, and points at the device whose figures foretell a run', () => {
    expect(found(four({ memory: 20 * GiB }))).toEqual([]);
    expect(found(four({ memory: 22 * GiB, reserved: 2 * GiB }))).toEqual([]);
    const plan = four({ memory: 18.6 * GiB });
    // The second one needs 17 GiB and leaves 2.9 %, more than the first.
    const devices = plan.devices.map((devicePlan, device) =>
      device === 1 ? { ...devicePlan, memory: 18.5 * GiB, reserved: GiB } : { ...devicePlan, memory: 18.6 * GiB },
    );
    expect(found({ ...plan, devices })).toMatchObject([{ severity: 'warning', at: 'train/stage:1' }]);
  });
});
