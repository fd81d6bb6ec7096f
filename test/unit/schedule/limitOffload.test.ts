/** `limit` of a rule that sends activations away: the timeline never holds more, on the sender and on the device that keeps them. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { kindName, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { startAt } from '../../../engine/values/timeline.ts';
import { analyse } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';

/** Milliseconds, and MB of one microbatch. */
interface Costs {
  readonly devices: number;
  readonly chunks: number;
  readonly microbatches: number;
  readonly forward: number;
  readonly backward: number;
  readonly message: number;
  readonly copy: number;
  readonly latency: number;
  readonly workspace: number;
  readonly forWeight: number;
}

const usual: Costs = {
  devices: 2,
  chunks: 1,
  microbatches: 4,
  forward: 4,
  backward: 40,
  message: 1,
  copy: 10,
  latency: 0,
  workspace: 0,
  forWeight: 0,
};

function textOf(schedule: string, given: Partial<Costs> = {}): string {
  const costs = { ...usual, ...given };
  const stages = costs.devices * costs.chunks;
  return `
device d { memory = 64GiB  host = ${100 / costs.copy}GB/s + ${costs.latency}ms }
cluster box { gpu[${costs.devices}] = d  link = ${100 / costs.copy}GB/s + ${costs.message}ms }
model toy { layer block[${stages}] { forward = ${costs.forward}ms  backward = ${costs.backward}ms  activation = 100MB  workspace = ${costs.workspace}MB } }
schedule mine { ${costs.chunks === 1 ? '' : `placement = loop(${costs.chunks})`}  ${schedule} }
pipeline train { model = toy  devices = box  microbatches = ${costs.microbatches}  stages = balance(${stages})  schedule = mine }
`;
}

const runOf = (schedule: string, costs?: Partial<Costs>) => {
  const [pipeline] = resolveText(textOf(schedule, costs)).plan.pipelines;
  if (pipeline === undefined) throw new Error(messagesOf(schedule, costs).join('\n'));
  const activationForWeight = 100e6 + 1e6 * (costs?.forWeight ?? 0);
  const stages = pipeline.stages.map((stage) => ({ ...stage, activationForWeight }));
  return evaluate({ ...pipeline, stages }, defaultOptions);
};
const startsOf = (schedule: string, costs?: Partial<Costs>): ReadonlyMap<string, number> => {
  const timeline = runOf(schedule, costs).run?.timeline;
  if (timeline === undefined) throw new Error(messagesOf(schedule, costs).join('\n'));
  const { program } = timeline;
  return new Map(
    Array.from(program.order, (word, position) => [
      `${stageOf(program, word)}${kindName(program, kindOf(program, word))}${microbatchOf(program, word)}`,
      Math.round(startAt(timeline, position) * 1e9) / 1e6,
    ]),
  );
};
const messagesOf = (schedule: string, costs?: Partial<Costs>): readonly string[] =>
  analyse(textOf(schedule, costs)).findings.flatMap(({ severity, message }) =>
    severity === 'information' ? [] : [message],
  );

const justInTime = 'allow(L, s) = next(B, s) <= time(L, s)';
const host = `order = greedy(prefer = [B, E, L, F])  offload = host  allow(E, s) = s == 0  ${justInTime}`;
const partner = `order = greedy(prefer = [B, E, L, F])  offload(d) = devices - 1 - d  allow(E, s) = s == 0  ${justInTime}`;

const anyCosts = fc.record({
  devices: fc.constantFrom(2, 4),
  chunks: fc.integer({ min: 1, max: 2 }),
  microbatches: fc.integer({ min: 1, max: 6 }),
  forward: fc.integer({ min: 1, max: 5 }),
  backward: fc.integer({ min: 1, max: 8 }),
  message: fc.integer({ min: 0, max: 3 }),
  copy: fc.constantFrom(1, 2, 4, 5, 10),
  latency: fc.integer({ min: 0, max: 2 }),
  workspace: fc.constantFrom(0, 30),
  forWeight: fc.constantFrom(-50, 0, 40),
});
const anyRule = fc.record({
  keeper: fc.constantFrom('offload = host', 'offload(d) = devices - 1 - d', 'offload(d) = if(d == 0, devices - 1, 0)'),
  prefer: fc.constantFrom('B, E, L, F', 'E, L, B, F', 'F, E, B, L', 'I, E, L, F, W', 'W, F, E, I, L'),
  sends: fc.constantFrom('s == 0', 'held(s) > 1', 'held(s) - away(s) > 1', '0 == 0'),
  inTime: fc.boolean(),
  /** An operation that holds bytes until the backward, or until the copy back has ended. */
  noted: fc.constantFrom('', 'B', 'L'),
  spare: fc.constantFrom(0, 30, 40, 70),
});

describe('a limit of a rule with E and L', () => {
  it('lets a forward start when the copy that leaves room for it has ended', () => {
    // Copies out: 4 to 14, 14 to 24.
    const starts = startsOf(`${host}  limit = 200MB`);
    expect([0, 1, 2].map((number) => starts.get(`0F${number}`))).toEqual([0, 4, 14]);
    expect(messagesOf(`${host}  limit = 200MB`)).toEqual([]);
  });

  it('is an error where it leaves no room', () => {
    // No forward fits.
    expect(messagesOf(`${host}  limit = 99MB`)[0]).toContain('0F0 on gpu[0] waits for `limit`');
    // The first microbatch fills the device that keeps it: its own forward finds no room.
    const first = `${partner}  limit(d) = if(d == 1, 199MB, 400MB)`;
    expect(messagesOf(first)[0]).toMatch(/1F0 on gpu\[1\] waits for `limit` of [^ ]+ \w+ \(the device holds/);
  });

  it('is never exceeded in the timeline, on no device', () => {
    const peaks = { host: 0, device: 0 };
    let blocked = 0;
    fc.assert(
      fc.property(anyCosts, anyRule, fc.integer({ min: 2, max: 5 }), (costs, rule, most) => {
        const { keeper, prefer, sends, inTime, noted, spare } = rule;
        const limit = most * 100 + spare;
        const backward = prefer.includes('I') ? 'I' : 'B';
        const before = noted === 'B' ? backward : noted;
        const note = `operation note { time = 1ms  holds = 60MB  after(s, j) = F[j, stage = s]  before(s, j) = ${before}[j, stage = s] }`;
        const text = `${noted === '' ? '' : note}  order = greedy(prefer = [${noted === '' ? '' : 'note, '}${prefer}])  ${keeper}  limit = ${limit}MB  ${prefer.includes('I') ? 'backward = split' : ''}
          allow(E, s) = ${sends}  ${inTime ? `allow(L, s) = next(${backward}, s) <= time(L, s)` : ''}`;
        const { run, findings } = runOf(text, costs);
        if (run === undefined) {
          // An L that never runs is missed.
          const codes = new Set(
            findings.map(({ code }) => (noted === 'L' && code === 'schedule/incomplete' ? 'schedule/blocked' : code)),
          );
          expect([...codes]).toEqual(['schedule/blocked']);
          // What waits for nothing would have started.
          for (const { parameters } of findings) expect(JSON.stringify(parameters)).not.toContain('"reasons":[]');
          blocked += 1;
        }
        for (const { peak } of run?.report.devices ?? []) {
          expect(peak).toBeLessThanOrEqual(limit * 1e6);
          if (peak > (limit - 30) * 1e6) peaks[keeper.includes('host') ? 'host' : 'device'] += 1;
        }
      }),
      { numRuns: 150 },
    );
    expect(blocked).toBeGreaterThan(2);
    expect(Math.min(peaks.host, peaks.device)).toBeGreaterThan(0);
  });
});
