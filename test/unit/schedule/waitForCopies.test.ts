/** Who waits for a copy (E or L) starts when the copy has ended: operations of the schedule, and a rule that reads `bytes`. */
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { kindName, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { startAt } from '../../../engine/values/timeline.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';

/** Milliseconds. Activations of 100 MB, so that a copy at 100 GB/s takes 1 ms. */
interface Costs {
  readonly devices?: number;
  readonly chunks?: number;
  readonly microbatches?: number;
  readonly forward?: number;
  readonly backward?: number;
  readonly message?: number;
  readonly copy?: number;
  readonly latency?: number;
}

const textOf = (schedule: string, costs: Costs = {}): string => {
  const { devices = 2, chunks = 1, microbatches = 4, forward = 4, backward = 40 } = costs;
  const { message = 1, copy = 10, latency = 0 } = costs;
  const placement = chunks === 1 ? '' : `placement = loop(${chunks})`;
  return `
device d { memory = 64GiB  host = ${100 / copy}GB/s + ${latency}ms }
cluster box { gpu[${devices}] = d  link = 100GB/s + ${message}ms }
model toy { layer block[${devices * chunks}] { forward = ${forward}ms  backward = ${backward}ms  activation = 100MB } }
schedule mine { ${placement} ${schedule} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${devices * chunks})  schedule = mine }
`;
};

const runOf = (schedule: string, costs?: Costs) => {
  const { plan, findings } = resolveText(textOf(schedule, costs));
  const [pipeline] = plan.pipelines;
  const run = pipeline && evaluate(pipeline, defaultOptions).run;
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n') || 'no run');
  return run;
};

/** Milliseconds at which operations start, by name. */
const startsOf = (schedule: string, costs?: Costs): ReadonlyMap<string, number> => {
  const { timeline } = runOf(schedule, costs);
  const { program } = timeline;
  return new Map(
    Array.from(program.order, (word, position) => [
      `${stageOf(program, word)}${kindName(program, kindOf(program, word))}${microbatchOf(program, word)}`,
      Math.round(startAt(timeline, position) * 1e9) / 1e6,
    ]),
  );
};

const gate = 'operation gate { after(j) = E[j - 2, stage = 0, to = host]  before(j) = F[j] }';
const back = 'each(j in 0..<microbatches, if(d == 0, L[j]), B[j])';
const rows = `${gate}  row(d) = each(j in 0..<microbatches, if(d == 0 and j > 1, gate[j]), F[j], if(d == 0, E[j, to = host])), ${back}`;

describe('an operation that waits for a copy', () => {
  it('starts when E has sent all', () => {
    // Copies out: 4 to 14, 14 to 24, 24 to 34.
    const starts = startsOf(rows);
    expect([0, 1, 2, 3].map((number) => starts.get(`0F${number}`))).toEqual([0, 4, 14, 24]);
    // At 28 ms, F2 is leaving, F3 has just ended, and L0 begins.
    expect(runOf(rows).report.devices[0].peak).toBe(300e6);
  });

  it('need not say where E sends: its row says so', () => {
    const plain = rows.replace('E[j - 2, stage = 0, to = host]', 'zip(E[j - 2, stage = 0], [])');
    expect(plain).not.toBe(rows);
    expect(startsOf(plain)).toEqual(startsOf(rows));
    // A row must say so.
    expect(() => runOf(rows.replace('E[j, to = host]', 'E[j]'))).toThrow('needs the argument "to"');
  });

  it('starts when L has brought all back, with the latency of the host', () => {
    const starts = startsOf(
      `operation look { time = 1ms  after(j) = L[j, stage = 0] }
       row(d) = F[0], if(d == 0, [E[0, to = host], L[0], look[0]]), B[0]`,
      { microbatches: 1, latency: 2 },
    );
    // Out 4 to 16, back 16 to 28.
    expect(starts.get('0look0')).toBe(28);
  });

  it('on another device hears of it a message later', () => {
    const starts = startsOf(
      `operation look { time = 1ms  after(j) = E[j, stage = 0, to = host] }
       row(d) = F[0], if(d == 0, [E[0, to = host], L[0]], look[0]), B[0]`,
      { microbatches: 1 },
    );
    expect(starts.get('1look0')).toBe(15);
  });

  it('waits for a forward of the same device, too, whichever ends last', () => {
    const both = `operation look { time = 1ms  after(j) = E[0, stage = 0, to = host], F[1, stage = 0] }
       row(d) = if(d == 1, look[0]), F[0], if(d == 0, E[0, to = host]), F[1], if(d == 0, L[0]), B[0], B[1]`;
    // E0 begins at 4 ms, F1 ends at 8 ms; the message takes 1 ms.
    expect(startsOf(both, { microbatches: 2, copy: 10 }).get('1look0')).toBe(15);
    expect(startsOf(both, { microbatches: 2, copy: 1 }).get('1look0')).toBe(9);
  });

  it('waits in a rule, too', () => {
    const starts = startsOf(
      `operation gate { on(j) = if(j < 2, -1, 0)  after(j) = E[j - 2, to = host]  before(j) = F[j] }
       order = greedy(prefer = [B, E, L, gate, F])  offload = host  allow(E, s) = s == 0`,
    );
    expect([0, 1, 2, 3].map((number) => starts.get(`0F${number}`))).toEqual([0, 4, 14, 24]);
  });

  it('keeps back an E or L of a rule', () => {
    const rule = 'order = greedy(prefer = [look, B, E, L, F])  offload = host  allow(E, s) = s == 0';
    const here = 'operation look { time = 3ms  on(j) = 0  after(j) = F[j]  before(j) = E[j, to = host] }';
    // F0 to 4 ms, look0 to 7 ms.
    expect(startsOf(`${here} ${rule}`).get('0E0')).toBe(7);
    const there = 'operation look { time = 3ms  on(j) = 1  after(j) = F[j]  before(j) = L[j, stage = 0] }';
    // F0 of the other device from 5 to 9 ms, look0 to 12 ms, and its message. The copy has ended at 5 ms.
    expect(startsOf(`${there} ${rule}`, { microbatches: 1, copy: 1 }).get('0L0')).toBe(13);
  });
});

describe('a rule with a condition on bytes', () => {
  const rule = (most: number, sends: string) => `order = greedy(prefer = [B, E, L, F])  offload = host
    allow(E, s) = ${sends}
    allow(F, s) = bytes(s) + activation(s) <= ${most * 100}MB
    allow(L, s) = next(B, s) <= time(L, s), bytes(s) + activation(s) <= ${most * 100}MB`;

  it('starts a forward when a copy has left room for it', () => {
    const starts = startsOf(rule(2, 's == 0'));
    expect([0, 1, 2].map((number) => starts.get(`0F${number}`))).toEqual([0, 4, 14]);
  });

  it('never holds more than it allows', () => {
    const anyCosts = fc.record({
      devices: fc.integer({ min: 1, max: 3 }),
      microbatches: fc.integer({ min: 1, max: 6 }),
      forward: fc.integer({ min: 1, max: 5 }),
      backward: fc.integer({ min: 1, max: 8 }),
      message: fc.integer({ min: 0, max: 3 }),
      copy: fc.constantFrom(1, 2, 4, 5, 10),
      latency: fc.integer({ min: 0, max: 2 }),
    });
    let most = 0;
    fc.assert(
      fc.property(
        anyCosts,
        fc.integer({ min: 2, max: 4 }),
        fc.constantFrom('s == 0', 'held(s) > 1'),
        (costs, room, sends) => {
          const { plan } = resolveText(textOf(rule(room, sends), costs));
          const run = plan.pipelines[0] && evaluate(plan.pipelines[0], defaultOptions).run;
          for (const { peak } of run?.report.devices ?? []) {
            expect(peak).toBeLessThanOrEqual(room * 100e6);
            most += peak === room * 100e6 ? 1 : 0;
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(most).toBeGreaterThan(20);
  });
});
