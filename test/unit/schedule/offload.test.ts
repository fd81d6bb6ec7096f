import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack } from '../../../engine/simulate/memoryStack.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { type Copy, ticked } from './offloadTicks.ts';

interface Numbers {
  readonly devices: number;
  readonly microbatches: number;
  readonly iterations: number;
  readonly host: string;
  readonly links: string;
  /** Milliseconds of a forward and of a backward. */
  readonly forward: number;
  readonly backward: number;
}

/** Devices that a network without delay joins; activations of 100 MB, so that 25 GB/s takes 4 ms for each. */
const textOf = (
  rows: string,
  { devices, microbatches, iterations, host, links, forward, backward }: Numbers,
): string => `
device d { memory = 64GiB  ${host} }
cluster box { gpu[${devices}] = d  ${links} }
model toy { layer block[${devices}] { forward = ${forward}ms  backward = ${backward}ms  activation = 100MB } }
schedule mine { ${rows} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}${iterations === 1 ? '' : `  iterations = ${iterations}`}  stages = balance(${devices})  schedule = mine }
`;

const usual: Numbers = {
  devices: 1,
  microbatches: 2,
  iterations: 1,
  host: 'host = 25GB/s',
  links: 'link = 25GB/s',
  forward: 4,
  backward: 8,
};

function planOf(rows: string, numbers: Partial<Numbers> = {}): PipelinePlan {
  const { plan, findings } = resolveText(textOf(rows, { ...usual, ...numbers }));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}

const messagesOf = (rows: string, numbers: Partial<Numbers> = {}): readonly string[] =>
  resolveText(textOf(rows, { ...usual, ...numbers })).findings.map(({ code, message }) => `${code}: ${message}`);

function reportOf(plan: PipelinePlan): PipelineReport {
  const report = evaluate(plan, defaultOptions).run?.report;
  if (report === undefined) throw new Error('no report');
  return report;
}

/** Milliseconds and megabytes. */
const ms = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;
const levels = (plan: PipelinePlan, device = 0): readonly string[] => {
  const program = programFor(plan);
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('never ends');
  const { at, bytes } = memoryTrack(plan, timeline, device);
  return Array.from(at, (time, index) => `${ms(time)}: ${bytes[index] / 1e6}`);
};

describe('E and L in rows', () => {
  const swapped = 'row(d) = F[0], E[0, to = host], F[1], L[0], B[1], B[0]';

  it('copy in parallel with the work, and free the memory in between', () => {
    const plan = planOf(swapped);
    // F0 to 4 ms; its copy out until 8 ms beside F1; the copy back from 8 to 12 ms beside B1, which ends at 16 ms.
    const { iteration, devices } = reportOf(plan);
    expect(ms(iteration)).toBe(24);
    expect(levels(plan)).toEqual(['0: 100', '4: 200', '16: 100', '24: 0']);
    expect(devices[0].host).toEqual({ peak: 100e6, bytes: 100e6, busy: 0.004, exposed: 0 });
  });
  it('make room for other microbatches', () => {
    const plan = planOf('row(d) = F[0], E[0, to = host], F[1], B[1], L[0], B[0]');
    // Gone from 8 ms, back from 16 ms: B0 waits for the copy until 20 ms.
    expect(levels(plan)).toEqual(['0: 100', '4: 200', '8: 100', '28: 0']);
    const { iteration, devices } = reportOf(plan);
    expect(ms(iteration)).toBe(28);
    expect(ms(devices[0].host?.exposed ?? 0)).toBe(4);
  });
  it('queue for the link to the host, one copy at a time in each direction', () => {
    const plan = planOf('row(d) = F[0..3], each(j in 0..3, E[j, to = host]), each(j in 0..3, L[j]), B[3..0 step -1]', {
      microbatches: 4,
      host: 'host = 25GB/s + 1ms',
    });
    // Four copies out from 16 ms, each 4 ms and 1 ms on the way: they are there at 21, 25, 29, 33 ms. Each comes back as soon as it
    // is there: at 26, 30, 34, 38 ms. Then four backwards.
    expect(ms(reportOf(plan).iteration)).toBe(38 + 32);
    // From the end of the last forward to the last copy back.
    expect(ms(reportOf(plan).devices[0].host?.exposed ?? 0)).toBe(38 - 16);
    // The first is on its way back when the last is still on its way out.
    expect(reportOf(plan).devices[0].host?.peak).toBe(300e6);
  });
  it('take turns where both directions are one resource', () => {
    const rows = 'row(d) = F[0..1], E[0, to = host], E[1, to = host], L[0], L[1], B[1], B[0]';
    // Out from 8 to 12 and to 16 ms. Back from 12 to 16 and from 16 to 20 ms; with one resource from 16 to 20 and to 24 ms.
    expect(ms(reportOf(planOf(rows)).iteration)).toBe(20 + 16);
    expect(ms(reportOf(planOf(rows, { host: 'host = half(25GB/s)' })).iteration)).toBe(24 + 16);
  });
  it('count as exposed from when the device is free', () => {
    const numbers = { devices: 2, microbatches: 1, host: 'host = 12.5GB/s' };
    const plan = planOf('row(0) = F[0], E[0, to = host], L[0], B[0]  row(1) = F[0], B[0]', numbers);
    // Out from 4 to 12 ms, back from 12 to 20 ms. The gradient of the other device is there at 16 ms.
    expect(ms(reportOf(plan).iteration)).toBe(28);
    expect(ms(reportOf(plan).devices[0].host?.exposed ?? 0)).toBe(16);
    // A receive that blocks the device takes it until 16 ms.
    const blocking = reportOf({ ...plan, transfer: { kind: 'rendezvous', batched: 'none' } });
    expect(ms(blocking.iteration)).toBe(28);
    expect(ms(blocking.devices[0].host?.exposed ?? 0)).toBe(12);
  });
  it('count as exposed in each iteration of a steady state, not in the iterations before it', () => {
    const plan = planOf(
      `weights = latest  let total = microbatches * iterations
       row(d) = each(j in 0..3, F[j], B[j]), each(j in 4..<total, F[j], E[j, to = host], L[j], B[j])`,
      { iterations: 8 },
    );
    const { iteration, devices } = reportOf(plan);
    // Each of two microbatches takes 4 ms out and 4 ms back between its forward and its backward. The first two iterations send nothing.
    expect(ms(iteration)).toBe(2 * (4 + 4 + 4 + 8));
    expect(ms(devices[0].host?.exposed ?? 0)).toBe(16);
  });
  it('to another device are what bpipe does', () => {
    for (const [devices, microbatches] of [
      [4, 6],
      [5, 8],
      [6, 12],
    ]) {
      const built = planOf('row(d) = []', { devices, microbatches });
      const policy: PipelinePlan = { ...built, schedule: { kind: 'policy', name: 'bpipe', args: {} } };
      const names = namesOf(programFor(policy));
      const rows = names.map((row, device) => {
        const items = row.map((name) => {
          const [, letter, microbatch] = /^\d+([A-Z])(\d+)$/.exec(name) ?? [];
          return letter === 'E' ? `E[${microbatch}, to = ${devices - 1 - device}]` : `${letter}[${microbatch}]`;
        });
        return `row(${device}) = ${items.join(', ')}`;
      });
      const own = planOf(rows.join('\n'), { devices, microbatches });
      const withRoutes: PipelinePlan = { ...policy, routes: own.routes };
      expect(namesOf(programFor(own))).toEqual(names);
      expect(programFor(own).partner).toEqual(programFor(policy).partner);
      const [mine, theirs] = [reportOf(own), reportOf(withRoutes)];
      expect(mine.iteration).toBe(theirs.iteration);
      expect(mine.devices.map(({ peak }) => peak)).toEqual(theirs.devices.map(({ peak }) => peak));
      expect(mine.links).toEqual(theirs.links);
    }
  });
});

describe('E and L by brute force', () => {
  /** A device holds at most a few microbatches; each may be sent away after its forward and back before its backward. */
  const rows = fc
    .record({
      devices: fc.integer({ min: 1, max: 3 }),
      microbatches: fc.integer({ min: 1, max: 6 }),
      forward: fc.integer({ min: 1, max: 5 }),
      backward: fc.integer({ min: 1, max: 9 }),
      copy: fc.integer({ min: 1, max: 12 }),
      latency: fc.integer({ min: 0, max: 3 }),
      half: fc.boolean(),
      switched: fc.boolean(),
      picks: fc.array(fc.nat(9), { minLength: 40, maxLength: 40 }),
    })
    .map((numbers) => {
      const { devices, microbatches, picks } = numbers;
      const lists = Array.from({ length: devices }, (_, device) => {
        const warm = Math.min(devices - device + (picks[device] % 3), microbatches);
        const order = [
          ...Array.from({ length: warm }, (__, j) => `F${j}`),
          ...Array.from({ length: microbatches }, (__, j) => [
            `B${j}`,
            ...(j + warm < microbatches ? [`F${j + warm}`] : []),
          ]).flat(),
        ];
        for (let j = 0; j < microbatches; j += 1) {
          const pick = picks[(7 * device + 3 * j) % picks.length];
          if (pick < 4) continue;
          const [from, to] = [order.indexOf(`F${j}`), order.indexOf(`B${j}`)];
          const away = from + 1 + (pick % (to - from));
          order.splice(away, 0, `E${j}`);
          const until = order.indexOf(`B${j}`);
          order.splice(away + 1 + ((pick * 3) % (until - away)), 0, `L${j}`);
        }
        return order;
      });
      return { ...numbers, lists };
    });

  it('gives the same times and the same bytes', () => {
    fc.assert(
      fc.property(rows, ({ devices, microbatches, forward, backward, copy, latency, half, switched, lists }) => {
        // One tick is a millisecond; an activation of 100 MB takes `copy` of them.
        const written = lists.map((order, device) => {
          const items = order.map((name) => `${name[0]}[${name.slice(1)}${name.startsWith('E') ? ', to = host' : ''}]`);
          return `row(${device}) = ${items.join(', ')}`;
        });
        const link = `${100 / copy}GB/s + ${latency}ms`;
        const plan = planOf(written.join('\n'), {
          devices,
          microbatches,
          forward,
          backward,
          // Routes over a switch share its links; copies to hosts do not take them.
          ...(switched ? { links: `switch s { ports = gpu[0..${devices - 1}]  link = 25GB/s }` } : {}),
          host: half ? `host = half(${link})` : `host = ${link}`,
        });
        const expected = ticked(lists, { forward, backward, copy, latency, half } satisfies Copy);
        const report = evaluate(plan, defaultOptions).run?.report;
        expect(report === undefined).toBe(expected === undefined);
        if (report === undefined || expected === undefined) return;
        expect(report.iteration * 1e3).toBeCloseTo(expected.makespan, 6);
        for (const [device, { name, peak, idle, host }] of report.devices.entries()) {
          expect(peak / 1e8).toBeCloseTo(expected.peaks[device], 6);
          expect((host?.peak ?? 0) / 1e8).toBeCloseTo(expected.hosts[device], 6);
          expect((host?.exposed ?? 0) * 1e3).toBeCloseTo(expected.waits[device], 6);
          // What a device waits for its host and for others is idle time; alone, it waits for its host only.
          const received = report.links.reduce((sum, link) => sum + (link.to === name ? link.exposed : 0), 0);
          expect((host?.exposed ?? 0) + received).toBeLessThanOrEqual(idle + 1e-12);
          if (devices === 1) expect(host?.exposed ?? 0).toBeCloseTo(idle, 9);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('E and L in slots', () => {
  const table = 'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s';
  // The backward of stage 0 comes 2 · devices - 1 slots after its forward.
  const away =
    'slot(E, s, j) = if(s == 0, 2 * j + s + 1, -1)  slot(L, s, j) = if(s == 0, 2 * j + 2 * devices - 1 - s, -1)';
  const orderOf = (
    text: string,
    numbers: Partial<Numbers> = { devices: 3, microbatches: 4 },
  ): readonly (readonly string[])[] => namesOf(programFor(planOf(text, numbers)));

  it('come before the operation of their slot, and only where they have one', () => {
    const [first, ...others] = orderOf(`${table}  ${away}  offload = host`);
    expect(first).toEqual('0F0 0E0 0F1 0E1 0F2 0E2 0L0 0B0 0F3 0E3 0L1 0B1 0L2 0B2 0L3 0B3'.split(' '));
    expect(others).toEqual(orderOf(table).slice(1));
    const row = first.map((name) => `${name[1]}[${name[2]}${name[1] === 'E' ? ', to = host' : ''}]`).join(', ');
    const rows = `row(0) = ${row}  let warm(d) = stages - d
      row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]`;
    const numbers = { devices: 3, microbatches: 4 };
    expect(reportOf(planOf(`${table}  ${away}  offload = host`, numbers))).toEqual(reportOf(planOf(rows, numbers)));
  });
  it('repeat with a period', () => {
    const block =
      'period = 2  slot(F, s) = s  slot(B, s) = 2 * devices - 1 - s  slot(E, s) = if(s == 0, s + 1, -1)  slot(L, s) = if(s == 0, 2 * devices - 1 - s, -1)';
    expect(orderOf(`${block}  offload = host`)).toEqual(orderOf(`${table}  ${away}  offload = host`));
  });
  it('may go to another device', () => {
    const plan = planOf(`${table}  ${away}  offload(d) = devices - 1 - d`, { devices: 4, microbatches: 6 });
    expect([...(programFor(plan).partner ?? [])]).toEqual([3, 2, 1, 0]);
  });
  it('must be in an order that works, and say where to', () => {
    const numbers = { devices: 3, microbatches: 4 };
    const problems = (text: string): readonly string[] =>
      messagesOf(text, numbers).filter((each) => !each.includes('hint'));
    expect(problems(`${table}  ${away}`)).toEqual([
      'key/missing: This schedule needs "offload", for example `offload = host`.',
    ]);
    expect(problems(`${table}  slot(E, s, j) = 2 * j + s + 1  offload = host`)).toEqual([
      'key/missing: This schedule needs "slot(L)", for example `slot(L, s, j) = …`.',
    ]);
    expect(problems(`${table}  offload = host`)).toEqual([
      'key/not-applicable: "offload" has no effect here: the table has no slots of E and L.',
    ]);
    const slots = (out: string, back: string): readonly string[] =>
      problems(
        `${table}  slot(E, s, j) = if(s == 0, ${out}, -1)  slot(L, s, j) = if(s == 0, ${back}, -1)  offload = host`,
      );
    expect(slots('2 * j', '2 * j + 5')).toEqual([expect.stringMatching(/^schedule\/slot: .*0E0.*0F0/)]);
    expect(slots('2 * j + 1', '2 * j + 1')).toEqual([expect.stringMatching(/^schedule\/slot: .*0L0.*0E0/)]);
    expect(slots('2 * j + 1', '2 * j + 6')).toEqual([expect.stringMatching(/^schedule\/slot: .*0B0.*0L0/)]);
    expect(problems(`${table}  ${away}  offload = host  fill = true`)).toEqual([
      'key/not-applicable: "fill" has no effect here: with E and L, devices work through the slots in order.',
    ]);
    expect(problems(`${table}  ${away}  offload(d) = d`)).toEqual([
      expect.stringMatching(/^value\/range: .*the device itself/),
    ]);
  });
});

describe('E and L elsewhere', () => {
  const rows = 'row(d) = F[0], E[0, to = host], F[1], B[1], L[0], B[0]';
  it('copy in parallel with sends that block', () => {
    const text = textOf(rows, { ...usual, devices: 2 }).replace(
      'schedule = mine',
      'schedule = mine  transfer = rendezvous',
    );
    const [pipeline] = resolveText(text).plan.pipelines;
    // Sends take no time here. Device 1: F0 4–8, F1 8–12, B1 12–20, B0 after its copy is back from 20 to 24: 32. Device 0: F0, F1 to
    // 8, B1 20–28, then L0 from 28 to 32, B0 to 40.
    expect(pipeline === undefined ? NaN : ms(reportOf(pipeline).iteration)).toBe(40);
  });
  it('are tested over shapes, where a copy takes no time', () => {
    const test = (limit: number): readonly string[] =>
      analyse(
        `schedule mine { row(d) = F[0], E[0, to = host], F[1..<microbatches], B[1..<microbatches], L[0], B[0] }
expect mine { over(devices = 1..3, microbatches = 2..4)  valid  in_flight(device = 0) <= microbatches - ${limit} }`,
      ).findings.map(({ code }) => code);
    // The first one is gone before the second one begins.
    expect(test(1)).toEqual([]);
    expect(test(2)).toEqual(['expect/failed']);
  });
  it('add up in the picture of the memory', () => {
    const plan = planOf(rows);
    const program = programFor(plan);
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('never ends');
    const stack = memoryStack(plan, timeline, 0);
    const { at, bytes } = memoryTrack(plan, timeline, 0);
    for (const [index, time] of at.entries()) {
      const there = stack.bytes.filter((_, piece) => stack.from[piece] <= time && time < stack.to[piece]);
      expect(there.reduce((sum, each) => sum + each, 0)).toBe(bytes[index]);
    }
  });
  it('keep a cut by memory from being made: what is held depends on times', () => {
    const text = textOf(rows, { ...usual, devices: 2 }).replace('balance(2)', 'balance(2, by = memory)');
    const found = resolveText(text).findings.map(({ code, message }) => `${code}: ${message}`);
    expect(found).toEqual([expect.stringMatching(/^key\/not-applicable: .*moves activations elsewhere/)]);
  });
});

describe('E and L that cannot be', () => {
  const faultsOf = (row: string, numbers: Partial<Numbers> = {}): readonly string[] => {
    const plan = planOf(`row(d) = ${row}`, numbers);
    return evaluate(plan, defaultOptions).findings.flatMap(({ code, severity, message }) =>
      severity === 'error' ? [`${code}: ${message}`] : [],
    );
  };
  it('are told with the row that misses one of them', () => {
    expect(faultsOf('F[0], E[0, to = host], F[1], B[1], B[0]')).toEqual([
      expect.stringMatching(/^schedule\/incomplete: .*0L0/),
    ]);
    expect(faultsOf('F[0..1], L[0], B[0..1]')).toEqual([expect.stringMatching(/^schedule\/incomplete: .*0E0/)]);
  });
  it('are told in the order in which they wait for themselves', () => {
    expect(faultsOf('F[0], L[0], E[0, to = host], F[1], B[0..1]')).toEqual([
      expect.stringMatching(/^schedule\/deadlock: .*0L0.*0E0/),
    ]);
    expect(faultsOf('E[0, to = host], F[0..1], L[0], B[0..1]')).toEqual([
      expect.stringMatching(/^schedule\/deadlock: .*0E0.*0F0/),
    ]);
    expect(faultsOf('F[0], E[0, to = host], F[1], B[0..1], L[0]')).toEqual([
      expect.stringMatching(/^schedule\/deadlock: .*0B0.*0L0/),
    ]);
  });
  it('are told once for each that appears twice', () => {
    expect(faultsOf('F[0], E[0, to = host], E[0, to = host], F[1], L[0], B[0..1]')).toEqual([
      expect.stringMatching(/^schedule\/repeated: .*0E0.*more than once/),
    ]);
  });
  it('do not go together with R on a stage that recomputes', () => {
    const row = 'row(d) = F[0], E[0, to = host], F[1], L[0], R[0], B[0], R[1], B[1]';
    const text = textOf(row, usual).replace('schedule = mine', 'schedule = mine  recompute = full');
    const [pipeline] = resolveText(text).plan.pipelines;
    const found = pipeline === undefined ? [] : evaluate(pipeline, defaultOptions).findings;
    expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^schedule\/repeated: .*0E0.*leave R out/),
    ]);
  });
  it('need a link to the host, and one place for each device', () => {
    const row = 'row(d) = F[0], E[0, to = host], F[1], L[0], B[0..1]';
    expect(messagesOf(row, { host: '' })).toEqual([
      'type/mismatch: Expected a link to the host in device "d", such as `host = 25GB/s + 5us`, found none.',
    ]);
    const errors = (items: string, numbers: Partial<Numbers> = {}): readonly string[] =>
      messagesOf(`row(d) = ${items}`, { devices: 2, ...numbers }).filter((text) => !text.includes('needs'));
    expect(errors('F[0], E[0, to = host], F[1], E[1, to = 1 - d], L[0], L[1], B[0..1]')).toEqual([
      'type/mismatch: Expected the host, where other E of this row send activations: a device sends all to one place, found device 1.',
    ]);
    expect(errors('F[0], E[0, to = d], F[1], L[0], B[0..1]')).toEqual([
      'value/range: The device that keeps the activations is 0, the device itself; it must be `to = host` or `to = DEVICE`, where DEVICE is another device.',
    ]);
    expect(errors('F[0], E[0, to = 2], F[1], L[0], B[0..1]')).toEqual([
      'value/range: The device that keeps the activations is 2; it must be from 0 to 1.',
    ]);
    expect(errors('F[0], E[0, to = hots], F[1], L[0], B[0..1]')).toEqual([
      'name/unknown: Unknown name "hots". Did you mean "host"?',
    ]);
    expect(messagesOf('row(d) = F[0], E[0], F[1], L[0], B[0..1]')).toEqual([
      'key/missing: This call to E needs the argument "to", for example `E[0, to = host]`.',
    ]);
    expect(errors('F[0, to = host], F[1], B[0..1]')).toEqual([
      'type/mismatch: Expected no `to`: only E sends activations away, found `host`.',
    ]);
  });
});
