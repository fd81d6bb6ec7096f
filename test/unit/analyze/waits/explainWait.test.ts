import { describe, expect, it } from 'vitest';
import { explainWait, type WaitExplanation } from '../../../../engine/analyze/waits/explainWait.ts';
import type { Wait } from '../../../../engine/analyze/waits/chainTypes.ts';
import { operationName } from '../../../../engine/values/program.ts';
import { analyseExample } from '../../../support/analyse.ts';
import { policy, recipePlan } from '../../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../../support/programs.ts';
import { timelineOf, waitsOf } from './waits.ts';

const text = ({ sentences }: WaitExplanation): string =>
  sentences.map(({ before, strong, after }) => `${before}${strong}${after}`).join(' ');

/** The explanation of the wait that an operation ends (`0B0`), or of the last wait of a device (`end of gpu[1]`). */
function explained(name: string, pipeline: number, what: string): WaitExplanation {
  const { plan, run } = analyseExample(name).pipelines[pipeline];
  if (run === undefined) throw new Error('no run');
  const { program } = run;
  const ends = (wait: Wait) =>
    wait.before < 0 ? `end of ${plan.devices[wait.device].name}` : operationName(program, program.order[wait.before]);
  const wait = waitsOf(run.timeline).find((each) => ends(each) === what);
  if (wait === undefined) throw new Error(`no wait for ${what}`);
  return explainWait(plan, run.timeline, wait);
}

describe('the explanation of a wait', () => {
  it('names the round trip, its largest part, and what the order holds back', () => {
    const why = explained('quickstart.pipe', 0, '0B0');
    expect(why.title).toBe('gpu[0] waits 48.1 ms');
    expect(text(why)).toBe(
      '0B0 waits for the gradient of 1B0 on gpu[1]. ' +
        'From the end of 0F0, this takes 72.1 ms: 24 ms of it on each of gpu[1], gpu[2] and gpu[3]. ' +
        '0F4 could start at 32 ms, but the order of gpu[0] puts 0B0 before it.',
    );
    expect(why.steps.map(({ words, figure }) => `${words}: ${figure}`)).toEqual([
      'gradient from gpu[1], 1B0: 16 ms + 15.5 µs',
      'gradient from gpu[2], 2B0: 16 ms + 15.5 µs',
      'gradient from gpu[3], 3B0: 16 ms + 15.5 µs',
      'forward just before, 3F0: 8 ms',
      'activations from gpu[2], 2F0: 8 ms + 15.5 µs',
      'activations from gpu[1], 1F0: 8 ms + 15.5 µs',
      'activations from gpu[0], 0F0: 15.5 µs',
    ]);
    const parts = why.steps.reduce((sum, { work, transfer }) => sum + work + transfer, 0);
    expect(parts).toBeCloseTo(why.seconds, 12);
  });

  it('says how much other work a device has where nothing else is ready', () => {
    expect(text(explained('quickstart.pipe', 0, '0B6'))).toContain(
      'Meanwhile gpu[0] has 56 ms of other work, and nothing else is ready.',
    );
  });

  /** The first wait of 1F1B on the first device: the round trip to the last one. */
  const roundTrip = (devices: number, recipe: Partial<Parameters<typeof recipePlan>[0]>): string => {
    const plan = recipePlan({ devices, microbatches: 12, schedule: policy('1f1b'), ...recipe });
    const order = programOf(oneForwardOneBackward(devices, 12), devices, 12, [...plan.placement]);
    const timeline = timelineOf(plan, order);
    return text(explainWait(plan, timeline, waitsOf(timeline)[0]));
  };

  it('names the device with the most work of the chain alone, however near the others are', () => {
    expect(roundTrip(4, { forward: [1, 1, 1, 1.1] })).toContain('3.1 s of it on gpu[3].');
    expect(roundTrip(4, {})).toContain('3 s of it on each of gpu[1], gpu[2] and gpu[3].');
  });

  it('counts devices with equal parts where they are more than four', () => {
    expect(roundTrip(5, {})).toContain('of it on each of gpu[1], gpu[2], gpu[3] and gpu[4].');
    expect(roundTrip(6, {})).toContain('of it on each of 5 devices.');
  });

  it('counts the transfers of the chain, which an operation just before is not', () => {
    expect(roundTrip(4, { latency: 5 })).toContain('30 s of it in 6 transfers.');
  });

  it('names the limit of microbatches in flight', () => {
    expect(text(explained('custom-schedule.pipe', 1, '0I0'))).toContain(
      '0F4 could start at 64 ms, but the order of gpu[0] puts 0I0 before it: the limit of 4 microbatches in flight is reached.',
    );
  });

  it('names a limit in flight exactly where the stage has reached it', () => {
    const [, { plan, run }] = analyseExample('custom-schedule.pipe').pipelines;
    if (run === undefined) throw new Error('no run');
    const { program } = run;
    for (const wait of waitsOf(run.timeline)) {
      const held = /(\d+)F\d+ could start.*the limit of (\d+) microbatch/.exec(
        text(explainWait(plan, run.timeline, wait)),
      );
      if (held === null) continue;
      const names = Array.from(program.order.subarray(program.offsets[wait.device], wait.before), (word) =>
        operationName(program, word),
      );
      const of = (kinds: string) => names.filter((name) => new RegExp(`^${held[1]}[${kinds}]`).test(name)).length;
      expect(of('F') - of('BI')).toBe(Number(held[2]));
    }
  });

  it('says that nothing else is ready where the chain goes back to the start', () => {
    const why = explained('systems/hanayo.pipe', 2, '1F0');
    expect(text(why)).toBe('1F0 waits for the activations of 0F0 on gpu[0]. Nothing else on gpu[1] is ready.');
  });

  it('names the memory that work which is ready would need', () => {
    const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), memory: 4 });
    const timeline = timelineOf(plan, programOf(oneForwardOneBackward(4, 8), 4, 8, [0, 1, 2, 3]));
    const [wait] = waitsOf(timeline);
    expect(text(explainWait(plan, timeline, wait))).toContain(
      '0F4 could start at 4 s, but the order of gpu[0] puts 0B0 before it: with it gpu[0] would hold 5 B of 4 B.',
    );
    const reserved = { ...plan, devices: plan.devices.map((device) => ({ ...device, memory: 5, reserved: 1 })) };
    expect(text(explainWait(reserved, timeline, wait))).toContain('would hold 5 B of 4 B.');
    const roomy = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), memory: 5 });
    expect(text(explainWait(roomy, timeline, wait))).toContain('puts 0B0 before it.');
  });

  it('of the end of the iteration begins with its last operation', () => {
    const why = explained('systems/hanayo.pipe', 2, 'end of gpu[1]');
    expect(text(why)).toContain('gpu[1] has no work left and waits for the end of the iteration.');
    expect(why.steps.map(({ words, figure }) => `${words}: ${figure}`)).toEqual([
      'last operation of gpu[0], 0B3: 2 ms',
      // The chain begins at its end.
      'gradient from gpu[1], 1B3: 0 ms',
    ]);
  });

  it('says that sends and receives block', () => {
    const why = explained('systems/rendezvous.pipe', 2, '0F3');
    expect(text(why)).toBe(
      'Before 0F3, gpu[0] sends the activations of 0F2 to gpu[1]. While it sends or receives, it runs nothing else.',
    );
  });

  it('shows twelve steps and counts the others', () => {
    const why = explained('gpt-175b.pipe', 1, '0B3');
    expect(why.steps).toHaveLength(12);
    expect(why.earlier).toBe(9);
    expect(why.seconds).toBeGreaterThan(why.steps.reduce((sum, { work, transfer }) => sum + work + transfer, 0));
  });
});
