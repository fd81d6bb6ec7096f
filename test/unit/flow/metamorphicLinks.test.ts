/** Changes to links, to what moves over them, and to how a machine is written, whose effect is known without knowing any figure. */
import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { base, cut, figuresOf, flat, outcome, parts, sum, ways, type Outcome } from './changed.ts';

describe('links', () => {
  it('of more bandwidth make nothing slower', () => {
    const clusters = (rate: number, inner: number): readonly string[] => [
      flat(16, `${rate}GB/s + 5us`),
      `node[4] { gpu[4] = card  link = ${inner}GB/s + 2us }  link = ${rate}GB/s + 10us`,
      `node[8] { gpu[2] = card  link = ${inner}GB/s + 2us }  link = ${rate}GB/s + 10us`,
      `switch fabric {}  node[4] { gpu[4] = card  switch nv { ports = gpu[0..3]  link = ${inner}GB/s + 2us }  link gpu[0..3] -- fabric = ${rate}GB/s + 5us }`,
      `switch fabric {}  node[4] { gpu[4] = card  link = ${inner}GB/s + 2us  switch nic { ports = gpu[0..3]  link = 50GB/s }  link nic -- fabric = ${rate}GB/s + 5us }`,
    ];
    const meshes = [
      'tensor = 2  data = 2',
      'tensor = 4',
      'data = 4',
      'context = 2  data = 2',
      'tensor = 2  sequence_parallel = true  context = 2',
      'data = 4  expert = 4',
    ];
    // Ways of collectives are chosen for large tensors: a network faster than the links inside would win some that are small.
    const rates = fc.record({
      rate: fc.integer({ min: 1, max: 50 }),
      inner: fc.integer({ min: 100, max: 400 }),
      times: fc.constantFrom(1.1, 1.5, 2),
      which: fc.nat(1),
    });
    fc.assert(
      fc.property(
        base,
        fc.nat(4),
        fc.constantFrom(...meshes),
        rates,
        (of, form, mesh, { rate, inner, times, which }) => {
          const moreOuter = which === 0 ? times : 1;
          const moreInner = which === 1 ? times : 1;
          const run = (a: number, b: number) =>
            outcome(parts({ ...of, schedule: '1f1b' }, `${cut(4)}  ${mesh}`, clusters(a, b)[form]));
          const [slow, fast] = [run(rate, inner), run(rate * moreOuter, inner * moreInner)];
          for (const [index, { forward, backwardInput, backwardWeight }] of fast.plan.stages.entries()) {
            const before = slow.plan.stages[index];
            expect(forward).toBeLessThanOrEqual(before.forward * (1 + 1e-9));
            expect(backwardInput).toBeLessThanOrEqual(before.backwardInput * (1 + 1e-9));
            // Scattered gradients hide behind the whole backward. Where I is shorter, more of them is left for W.
            expect(backwardInput + backwardWeight).toBeLessThanOrEqual(
              (before.backwardInput + before.backwardWeight) * (1 + 1e-9),
            );
          }
          for (const [index, { sync }] of fast.plan.step.entries())
            expect(sync).toBeLessThanOrEqual(slow.plan.step[index].sync * (1 + 1e-9));
          // Where transfers share a link, an earlier one may take from another that is waited for.
          if (form <= 2) expect(fast.report.iteration).toBeLessThanOrEqual(slow.report.iteration * (1 + 1e-9));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('that are all alike make the order of ranks irrelevant', () => {
    fc.assert(
      fc.property(base, fc.constantFrom('tensor = 2  data = 2', 'data = 4', 'context = 2  data = 2'), (of, mesh) => {
        const [first, second] = ['tp_cp_dp_pp', 'tp_cp_pp_dp'].map((order) =>
          outcome(parts(of, `${cut(4)}  ${mesh}  rank_order = ${order}`, flat(16))),
        );
        expect(figuresOf(second)).toEqual(figuresOf(first));
      }),
      ways,
    );
  });

  it('and nodes that are alike may be exchanged', () => {
    const cluster = 'node[4] { gpu[4] = card  link = 300GB/s + 2us }  link = 25GB/s + 5us';
    const on = (order: readonly number[]) =>
      order.map((node, s) => `stage s${s} { layers = block[${2 * s}..${2 * s + 1}]  on = node[${node}] }`).join('\n');
    fc.assert(
      fc.property(base, fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (of, order) => {
        const [first, second] = [[0, 1, 2, 3], order].map((nodes) =>
          outcome(parts(of, `tensor = 2  data = 2  ${on(nodes)}`, cluster)),
        );
        expect(figuresOf(second)).toEqual(figuresOf(first));
      }),
      ways,
    );
  });

  it('hide more where more of the traffic may run beside computing', () => {
    const share = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(base, fc.constantFrom('tensor', 'context', 'expert'), share, share, (of, group, one, other) => {
        const run = (percent: number) =>
          outcome(
            parts(
              { ...of, schedule: '1f1b' },
              `${cut(4)}  tensor = 2  sequence_parallel = true  context = 2  expert = ${of.of.mixed ? 2 : 1}  overlap(${group}) = ${percent}%`,
              flat(16, '5GB/s + 1us'),
            ),
          );
        const [less, more] = [run(Math.min(one, other)), run(Math.max(one, other))];
        expect(more.report.iteration).toBeLessThanOrEqual(less.report.iteration * (1 + 1e-12));
        for (const [index, { forward, backwardInput }] of more.plan.stages.entries()) {
          expect(forward).toBeLessThanOrEqual(less.plan.stages[index].forward * (1 + 1e-12));
          expect(backwardInput).toBeLessThanOrEqual(less.plan.stages[index].backwardInput * (1 + 1e-12));
        }
      }),
      ways,
    );
  });
});

describe('gradients', () => {
  it('beside the last backwards end no later, where messages have no latency', () => {
    const schedules = fc.constantFrom(
      '1f1b',
      'gpipe',
      'zb_h1',
      'eager_1f1b',
      'seq1f1b',
      'interleaved_1f1b(chunks = 2)',
      'chimera',
    );
    const meshes = fc.constantFrom('data = 4', 'data = 2  tensor = 2', 'context = 2  data = 2');
    fc.assert(
      fc.property(base, schedules, meshes, fc.constantFrom(1, 25, 300), (of, schedule, mesh, rate) => {
        const stages = schedule.includes('chunks') ? 8 : 4;
        const [end, whole, small] = ['', 'sync = overlap', 'sync = overlap(bucket = 4MB)'].map((sync) =>
          outcome(parts({ ...of, schedule, sync }, `${cut(stages)}  ${mesh}`, flat(16, `${rate}GB/s`))),
        );
        expect(whole.report.iteration).toBeLessThanOrEqual(end.report.iteration * (1 + 1e-9));
        expect(small.report.iteration).toBeLessThanOrEqual(end.report.iteration * (1 + 1e-9));
        // What is sent is the same.
        const bytes = ({ report }: Outcome) => sum(report.devices.map(({ sync }) => sync.bytes));
        expect(bytes(whole)).toBeCloseTo(bytes(end), 0);
        expect(bytes(small)).toBeCloseTo(bytes(end), 0);
      }),
      ways,
    );
  });
});

describe('descriptions of the same machine', () => {
  it('two kinds of device with the same figures are one', () => {
    fc.assert(
      fc.property(base, fc.constantFrom('', 'tensor = 2', 'data = 2'), (of, mesh) => {
        const whole = { ...parts(of, `${cut(4)}  ${mesh}`, 'gpu[8] = card  link = 25GB/s') };
        const twin = `device twin { memory = 1000GiB  compute = 100TFLOPS  ${of.device} }`;
        const two = { ...whole, imports: twin, cluster: 'gpu[0..3] = card  gpu[4..7] = twin  link = 25GB/s' };
        expect(figuresOf(outcome(two))).toEqual(figuresOf(outcome(whole)));
      }),
      ways,
    );
  });

  it('a machine of the library is the one that its figures make', () => {
    const imports = 'import { dgx_h100, nodes } from "std:clusters"\nimport { h100 } from "std:hardware"';
    const written = `switch fabric {}  node[2] { gpu[8] = h100  switch nvswitch { ports = gpu[0..7]  link = 370GB/s + 1.7us }  link gpu[0..7] -- fabric = 48.5GB/s + 4.8us }`;
    fc.assert(
      fc.property(
        base,
        fc.constantFrom('tensor = 4', 'data = 4', 'tensor = 2  data = 2', 'context = 4'),
        (of, mesh) => {
          const own = { ...parts(of, `${cut(4)}  ${mesh}`, written), imports };
          const library = outcome({ ...own, cluster: 'gpu[1] = card', devices: 'dgx_h100' });
          expect(figuresOf(library)).toEqual(figuresOf(outcome(own)));
        },
      ),
      ways,
    );
  });
});
