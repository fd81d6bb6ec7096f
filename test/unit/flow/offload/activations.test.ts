import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { B, F, I, kindOf, stageOf, W } from '../../../../engine/values/program.ts';
import { endAt, startAt } from '../../../../engine/values/timeline.ts';
import { memoryTrack } from '../../../../engine/simulate/memory.ts';
import { memoryStack } from '../../../../engine/simulate/memoryStack.ts';
import { analyse, fixesOf, checkedAfter } from '../../../support/analyse.ts';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { apply } from '../../../../engine/fixes/proposal.ts';
import { checkFindings } from '../../../support/expected.ts';
import { fileOf, policies, runOf, type Shape } from './fixture.ts';

const MiB = 2 ** 20;
const optimizer = 'adam';

describe('one stage of equal layers', () => {
  const shape: Shape = { devices: 1, layers: 8, optimizer, activation: [100], microbatches: 3 };
  const offloaded = (layers: number, more: Partial<Shape> = {}) =>
    runOf({ ...shape, ...more, more: `offload = activations(layers = ${layers})` });

  test('holds the layers that stay, and the host the others', () => {
    const plain = runOf(shape).run.report;
    for (let layers = 1; layers <= 7; layers += 1) {
      const { report } = offloaded(layers).run;
      expect(plain.devices[0].peak - report.devices[0].peak).toBeCloseTo(layers * 100 * MiB, 3);
      expect(report.devices[0].host).toMatchObject({ peak: layers * 100 * MiB, bytes: 3 * layers * 100 * MiB });
      expect(report.devices[0].memory.activations).toBe((8 - layers) * 100 * MiB);
    }
  });

  test('takes no longer while a copy is shorter than a layer', () => {
    // 100 MiB take 4.19 ms of 10.
    expect(offloaded(6).run.report.iteration).toBeCloseTo(3 * 8 * 30e-3, 12);
    expect(offloaded(6).run.report.devices[0].host?.exposed).toBe(0);
  });

  test('and otherwise by the difference, in the forward and in the backward', () => {
    const copy = (1000 * MiB) / 25e9;
    const { run } = offloaded(6, { activation: [1000] });
    const late = (layer: number) => Math.max(0, 2 * layer + 6 * copy - 8 * layer);
    expect(copy).toBeGreaterThan(20e-3);
    const exposed = late(10e-3) + late(20e-3);
    expect(run.report.iteration).toBeCloseTo(3 * (8 * 30e-3 + exposed), 9);
    expect(run.report.devices[0].host?.exposed).toBeCloseTo(3 * exposed, 9);
    expect(run.report.devices[0].host?.busy).toBeCloseTo(3 * 6 * copy, 9);
    expect(run.report.stages[0].forward).toBeCloseTo(80e-3 + late(10e-3), 9);
  });

  test('over a link that the key names', () => {
    const report = (link: string) =>
      runOf({ ...shape, activation: [1000], more: `offload = activations(layers = 6, link = ${link})` }).run.report;
    expect(report('25GB/s').iteration).toBe(offloaded(6, { activation: [1000] }).run.report.iteration);
    expect(report('1TB/s').iteration).toBeCloseTo(3 * 8 * 30e-3, 12);
  });

  test('an input gradient hides less than a whole backward', () => {
    const { run } = offloaded(6, { activation: [400], schedule: 'zb_h1' });
    const copy = (400 * MiB) / 25e9;
    const late = Math.max(0, 2 * 10e-3 + 6 * copy - 80e-3);
    expect(copy).toBeGreaterThan(10e-3);
    expect(copy).toBeLessThan(20e-3);
    expect(run.timeline.timing.duration[B]).toBeCloseTo(160e-3, 12);
    expect(run.timeline.timing.duration[I]).toBeCloseTo(80e-3 + late, 12);
    expect(run.report.devices[0].host?.exposed).toBeCloseTo(3 * 2 * late, 9);
  });
});

test('weights come back from the host once no backward loads activations any more', () => {
  const shape: Shape = { devices: 1, layers: 2, microbatches: 1, weights: [1, 200], host: 'host_bandwidth = 100TB/s' };
  const back = (mebibytes: number) => (2 * mebibytes * 2 ** 19) / 25e9;
  const out = (mebibytes: number) => (4 * mebibytes * 2 ** 19) / 25e9;
  // The last layer's gradients leave at 40 ms, and are there before the backward ends at 60 ms.
  expect(runOf(shape).run.timeline.hosted?.[0]).toBeCloseTo(40e-3 + out(200) + back(200) + back(1), 4);
  const both = runOf({ ...shape, more: 'offload = activations(layers = 1)' });
  expect(40e-3 + out(200)).toBeLessThan(60e-3);
  expect(both.run.timeline.hosted?.[0]).toBeCloseTo(both.run.timeline.last[0] + back(200) + back(1), 6);
});

test('segments of a sequence copy and wait for their part', () => {
  const shape: Shape = { optimizer, activation: [1000], more: 'offload = activations(layers = 3)' };
  const whole = runOf(shape).run.report.devices[0].host;
  const parts = runOf({ ...shape, schedule: 'seq1f1b(2)' });
  const { host } = parts.run.report.devices[0];
  expect(host?.bytes).toBeCloseTo(whole?.bytes ?? 0, 0);
  expect(host?.busy).toBeCloseTo(whole?.busy ?? 0, 9);
  expect(host?.exposed).toBeCloseTo(whole?.exposed ?? 0, 9);
  expect(parts.plan.stages[0].offloaded?.bytes).toBe((3 * 1000 * MiB) / 2);
});

test('each segment pays the latency of its copies', () => {
  // Of 8 layers of 10 ms and 20 ms, 6 are offloaded, with copies of 8 ms and 100 MiB / (25 GB/s).
  const shape: Shape = { devices: 1, layers: 8, optimizer, activation: [100], microbatches: 3, link: '25GB/s + 8ms' };
  for (const [schedule, lengths, times] of [
    ['seq1f1b(2)', [0.5, 0.5], [0.5, 0.5]],
    ['seq1f1b(4)', [0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]],
    ['seq1f1b(2, shares = [75, 25])', [0.75, 0.25], [0.75, 0.25]],
    ['seq1f1b(2, shares = [75, 25], times = [50, 50])', [0.75, 0.25], [0.5, 0.5]],
  ] as const) {
    const { report } = runOf({ ...shape, schedule, more: 'offload = activations(layers = 6)' }).run;
    const sum = (of: (segment: number) => number) => lengths.reduce((all, _, segment) => all + of(segment), 0);
    const copy = (segment: number) => 8e-3 + (lengths[segment] * 100 * MiB) / 25e9;
    const late = (segment: number, layer: number) =>
      Math.max(0, 2 * layer * times[segment] + 6 * copy(segment) - 8 * layer * times[segment]);
    const exposed = sum((segment) => late(segment, 10e-3) + late(segment, 20e-3));
    expect(exposed, schedule).toBeGreaterThan(1e-3);
    expect(report.devices[0].host?.busy, schedule).toBeCloseTo(3 * 6 * sum(copy), 9);
    expect(report.devices[0].host?.exposed, schedule).toBeCloseTo(3 * exposed, 9);
    expect(report.iteration, schedule).toBeCloseTo(3 * (8 * 30e-3 + exposed), 9);
  }
});

test('of layers that keep less and less, the window of the first ones is more than what stays', () => {
  const { run } = runOf({
    devices: 1,
    layers: 4,
    microbatches: 1,
    optimizer,
    activation: [400, 300, 200, 100],
    more: 'offload = activations(layers = 2)',
  });
  // Two layers are there at a time: 400 + 300 while the second runs, of which 300 are what the last two keep.
  expect(run.report.devices[0].memory).toMatchObject({ activations: 300 * MiB, workspace: 400 * MiB });
});

const shapes = fc.constantFrom(...policies).chain(([schedule, stages]) =>
  fc.record({
    schedule: fc.constant(schedule),
    stages: fc.constant(stages),
    activation: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 8 }),
    layers: fc.integer({ min: 1, max: 3 }),
  }),
);

test('under every policy no device holds more than without, and device and host hold what the operations say', () => {
  fc.assert(
    fc.property(shapes, ({ layers, ...rest }) => {
      const most = 16 / rest.stages - 1;
      const more = `offload = activations(layers = ${Math.min(layers, most)})`;
      const shape: Shape = { ...rest, optimizer, microbatches: 8, link: '900GB/s' };
      const plain = runOf(shape);
      const { plan, run } = runOf({ ...shape, more });
      const { program, timeline } = run;
      // With this link nothing waits, so the order is the same. Only a search that counts bytes may find another.
      const ordered = program.order.every((word, at) => word === plain.run.program.order[at]);
      if (rest.schedule !== 'zb_auto') expect(ordered).toBe(true);
      if (ordered) expect(run.report.iteration).toBeGreaterThanOrEqual(plain.run.report.iteration * (1 - 1e-12));
      plan.devices.forEach((_, device) => {
        const own = plan.stages.flatMap((stage, index) => (plan.placement[index] === device ? [{ stage, index }] : []));
        const base = own.reduce(
          (sum, { stage }) => sum + stage.weights + stage.gradients + stage.optimizer + stage.buffers,
          0,
        );
        // Brute force: at the start of each operation, all that has begun and is not over.
        const [from, to] = [program.offsets[device], program.offsets[device + 1]];
        const spans = Array.from({ length: to - from }, (_entry, offset) => from + offset).map((at) => ({
          kind: kindOf(program, program.order[at]),
          stage: stageOf(program, program.order[at]),
          microbatch: program.order[at] & ((1 << program.shift) - 1),
          start: startAt(timeline, at),
          end: endAt(timeline, at),
        }));
        const endOf = (stage: number, microbatch: number, kinds: readonly number[]) =>
          spans.find((each) => each.stage === stage && each.microbatch === microbatch && kinds.includes(each.kind))
            ?.end ?? Infinity;
        const heldAt = (moment: number) =>
          spans.reduce(
            ({ here, host }, { kind, stage, microbatch, start, end }) => {
              const { activation, activationForWeight, offloaded, workspace } = plan.stages[stage];
              const runs = start <= moment && moment < end;
              if (runs) here += workspace;
              if (kind === F && start <= moment && moment < endOf(stage, microbatch, [B, I])) {
                here += activation;
                host += offloaded?.bytes ?? 0;
              }
              if (kind !== I) return { here, host };
              if (runs) here += offloaded?.forWeight ?? 0;
              if (end <= moment && moment < endOf(stage, microbatch, [W])) here += activationForWeight;
              return { here, host };
            },
            { here: base, host: 0 },
          );
        // A little later: what ends at a start may have ended a rounding error after it.
        const moments = spans.map(({ start }) => start + 1e-7);
        const levels = moments.map(heldAt);
        const report = run.report.devices[device];
        expect(report.peak).toBeCloseTo(Math.max(...levels.map(({ here }) => here)), -1);
        expect(report.host?.peak ?? 0).toBeCloseTo(Math.max(...levels.map(({ host }) => host)), -1);
        expect(report.memory_items.reduce((sum, { bytes }) => sum + bytes, 0)).toBeCloseTo(report.peak, -1);
        const track = memoryTrack(plan, timeline, device);
        expect(Math.max(...track.bytes)).toBeCloseTo(report.peak, -1);
        const stack = memoryStack(plan, timeline, device);
        const stacked = moments.map((start) =>
          stack.bytes.reduce(
            (sum, bytes, piece) => (stack.from[piece] <= start && start < stack.to[piece] ? sum + bytes : sum),
            base,
          ),
        );
        expect(Math.max(...stacked)).toBeCloseTo(report.peak, -1);
        if (ordered && rest.activation.length === 1)
          expect(report.peak).toBeLessThanOrEqual(plain.run.report.devices[device].peak);
      });
    }),
    { numRuns: 20 },
  );
});

describe('what a file must say', () => {
  const more = (offload: string) => fileOf({ optimizer, more: `offload = ${offload}` });

  test.each([
    ['activations(layers = ⟦value/range:4⟧)', 'at most 3: the largest stage has 4 layers'],
    ['activations(layers = ⟦value/range:0⟧)', 'at least 1'],
    ['⟦key/missing:activations⟧', '"layers"'],
    ['⟦key/missing:activations()⟧', '"layers"'],
    ['⟦name/unknown:weights⟧', 'weights'],
    ['⟦type/mismatch:3⟧', '`activations(layers = 4)`'],
    ['activations(layers = 2, link = ⟦type/mismatch:half(25GB/s)⟧)', 'two directions'],
    ['activations(layers = 2, link = ⟦type/dimension:3ms⟧)', 'bandwidth'],
    ['activations(layers = 2, ⟦key/unknown:links⟧ = 25GB/s)', 'link'],
  ])('offload = %s', (written, message) => {
    checkFindings(more(written), [message]);
  });

  test('a link to the host, or one in the key', () => {
    const bare = (written: string) => more(written).replace('host = 25GB/s }', '}');
    checkFindings(bare('⟦type/mismatch:activations(layers = 2)⟧'), ['a link to the host in device "gpu"']);
    checkFindings(bare('activations(layers = 2, link = 25GB/s)'));
    const [fix] = fixesOf(analyse(bare('activations(layers = 2)')), 'type/mismatch');
    expect(fix.title).toContain('Add host = 25GB/s + 5us to device "gpu"');
    const half = fileOf({ optimizer, link: 'half(25GB/s)', more: 'offload = ⟦type/mismatch:activations(layers = 2)⟧' });
    checkFindings(half, ['with two directions']);
  });

  test('parentheses change nothing', () => {
    expect(runOf({ optimizer, more: 'offload = (activations(layers = 2))' }).plan).toEqual(
      runOf({ optimizer, more: 'offload = activations(layers = 2)' }).plan,
    );
  });

  test('microbatches of one length', () => {
    const text = more('⟦type/mismatch:activations(layers = 2)⟧  tokens = [64, 128, 64, 128, 64, 128, 64, 128]');
    const derived = text
      .replace(/model m \{[^]*?\n\}/, 'model m { sequence = 128  layer b[16] = transformer(hidden = 256, heads = 4) }')
      .replace('gpu { memory', 'gpu { compute = 100TFLOPS  memory');
    checkFindings(derived, [
      'each copy to the host has the same size, found "tokens"; recompute instead of "offload", or',
    ]);
  });

  test('no schedule that copies to the host itself', () => {
    const rows = 'schedule away { row(d) = each(j in 0..<microbatches, F[j], E[j, to = host], L[j], B[j]) }\n';
    const text = rows + more('⟦type/mismatch:activations(layers = 2)⟧').replace('schedule = 1f1b', 'schedule = away');
    checkFindings(text, ['leaves the link to the host free']);
  });

  test('no recomputation', () => {
    checkFindings(more('⟦type/mismatch:activations(layers = 2)⟧  recompute = full'), ['recompute nothing']);
  });

  test('a cut by time', () => {
    const text = more('activations(layers = 2)').replace('balance(4)', '⟦key/not-applicable:balance(4, by = memory)⟧');
    checkFindings(text, ['offloaded']);
  });
});

describe('comm/host', () => {
  const findings = (shape: Shape) => runOf(shape).analysis.findings.filter(({ code }) => code === 'comm/host');

  test('names what devices wait for, and the slowest step', () => {
    const shape: Shape = { devices: 1, layers: 1, microbatches: 1, weights: [64] };
    // 2²⁵ parameters: 4 bytes out and 2 back over 25 GB/s, 30 through 100 GB/s.
    const [finding] = findings(shape);
    expect(finding.message).toBe(
      "Devices wait 18.1 ms on average (37.7 % of the iteration) for their hosts: updated weights 18.1 ms. The slowest step is the host's update (`host_bandwidth`), 10.1 ms. Offload a smaller share, or do more microbatches for each update.",
    );
    expect(findings({ ...shape, host: 'host_bandwidth = 1TB/s' })[0].message).toContain(
      'the copy of gradients to the host, 5.37 ms',
    );
    expect(findings({ ...shape, microbatches: 64 })).toEqual([]);
  });

  test('names activations that come too late', () => {
    const shape: Shape = { devices: 1, layers: 4, optimizer, activation: [1000], microbatches: 1 };
    const [finding] = findings({ ...shape, more: 'offload = activations(layers = 3)' });
    expect(finding.message).toContain('for their hosts: activations');
    expect(finding.message).not.toContain('slowest');
    expect(findings(shape)).toEqual([]);
  });
});

describe('a host that is too small for activations of layers', () => {
  /** Two stages of eight layers with 4 GiB each, of which the first has two microbatches in flight and the second one. */
  const file = (memory: string, layers: number) => `
model toy { layer block[16] { forward = 40ms  backward = 80ms  weights = 1GiB  activation = 4GiB } }
device gpu { memory = 96GiB  host = 48GB/s }
cluster box { gpu[2] = gpu  link = 25GB/s  host_memory = ${memory} }
pipeline train {
  model = toy  devices = box  stages = balance(2)  microbatches = 8  schedule = 1f1b  optimizer = adam_mixed
  offload = activations(layers = ${layers})
}
`;
  const found = (text: string) => {
    const analysis = analyse(text);
    const finding = analysis.findings.find(({ code }) => code === 'memory/host');
    return { finding, fixes: finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis)) };
  };

  test.each([
    // 3 · 4 GiB for each layer of both stages: 48 GiB for four.
    ['50GiB', 4],
    ['48GiB', 4],
    ['47GiB', 3],
    ['12GiB', 1],
  ])('of %s says that %d layers fit, and writes them', (memory, most) => {
    const { finding, fixes } = found(file(memory, 6));
    expect(finding?.message).toContain(
      `Offload the activations of fewer layers: if these are alike, at most ${most} ${most === 1 ? 'layer' : 'layers'} of each stage fit`,
    );
    // Fewer layers on the host are more on the device, which may not fit there.
    const fits = found(file(memory, most)).finding === undefined;
    expect([fits, found(file(memory, most + 1)).finding === undefined]).toEqual([true, false]);
    if (most === 4) expect(fixes.map(({ title }) => title)).toEqual([expect.stringMatching(/^Offload 4 layers:/)]);
  });

  test('says that none fits', () => {
    expect(found(file('11GiB', 6)).finding?.message).toContain(
      'Not even the activations of one layer of each stage fit',
    );
  });

  test('offers the bandwidth of its memory where it is missing', () => {
    const without = (cluster: string) =>
      file('1TiB', 4)
        .replace(/cluster .*/, cluster)
        .replace('adam_mixed', 'adam_mixed(offload = 100%)');
    for (const [cluster, makes] of [
      ['cluster box { gpu[2] = gpu  link = 25GB/s }', 'link = 25GB/s  host_bandwidth = 200GB/s }\n'],
      [
        'cluster box { node[1] { gpu[2] = gpu  link = 25GB/s }  link = 5GB/s }',
        'link = 25GB/s  host_bandwidth = 200GB/s }  link',
      ],
    ]) {
      const analysis = analyse(without(cluster));
      const missing = analysis.findings.find(({ code }) => code === 'key/missing');
      const [fix] = missing === undefined ? [] : fixesFor(analysis, missing, checkedAfter(analysis));
      expect(fix?.title).toMatch(/^Add host_bandwidth = 200GB\/s to cluster "box": runs/);
      expect(apply(analysis.syntax.text, fix.edits)).toContain(makes);
    }
  });
});
