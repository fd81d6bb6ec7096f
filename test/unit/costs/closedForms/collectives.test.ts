import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { serversOf } from '../../../../engine/job/servers.ts';
import { blueconnectCall } from '../../../../engine/network/collectives/blueconnect.ts';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import { collectiveTime } from '../../../../engine/costs/collectives.ts';
import { layer, near, run } from './run.ts';

const [GB, us] = [1e9, 1e-6];
const link = fc.record({ B: fc.integer({ min: 1, max: 400 }), alpha: fc.integer({ min: 0, max: 30 }) });
const [h, a] = [32, 4];
const gpt = { hidden: h, heads: a };
/** Parameters of a GPT layer on one of t ranks: norms and the biases of both projections back to h are whole. */
const parametersOf = (t: number): number => (12 * h ** 2 + 7 * h) / t + 6 * h;

describe('point to point: α + S/B', () => {
  test('S = s·b·h·2, over t with sequence parallelism and over c; there and back', () => {
    fc.assert(
      fc.property(
        link,
        fc.record({
          s: fc.constantFrom(64, 512),
          b: fc.constantFrom(1, 2),
          t: fc.constantFrom(1, 2, 4),
          sp: fc.boolean(),
          c: fc.constantFrom(1, 2),
          hops: fc.integer({ min: 1, max: 3 }),
        }),
        ({ B, alpha }, { s, b, t, sp, c, hops }) => {
          const { report } = run({
            model: { sequence: s, micro_batch: b },
            layers: [layer(`block[${hops + 1}]`, 'linear', { inputs: h, outputs: h, bias: false })],
            device: 'memory = 1TiB  compute = 1PFLOPS',
            cluster: `gpu[${(hops + 1) * t * c}] = gpu  link = ${B}GB/s + ${alpha}us`,
            pipeline: {
              ...{ microbatches: 1, stages: `balance(${hops + 1})`, schedule: '1f1b', tensor: t, context: c },
              ...(sp && t > 1 ? { sequence_parallel: true } : {}),
            },
          });
          const S = (s * b * h * 2) / (sp ? t : 1) / c;
          const working = report.stages.reduce(
            (sum, stage) => sum + stage.forward + stage.backward_input + stage.backward_weight,
            0,
          );
          const moving = 2 * hops * (alpha * us + S / (B * GB));
          // Then context ranks reduce the gradients of h²/t weights, the first stage last.
          const gradients = 2 * (c - 1) * alpha * us + ((2 * (c - 1)) / c) * ((2 * h * h) / t / (B * GB));
          expect(report.iteration).toSatisfy((found: number) => near(found, working + moving + gradients));
          for (const linkReport of report.links) {
            expect(linkReport.bytes).toBe(S);
            expect(linkReport.busy).toSatisfy((found: number) => near(found, S / (B * GB)));
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('ring collectives over n ranks on links of B and α', () => {
  /** Seconds and bytes of the exchange of gradients over n data ranks. */
  const syncOf = (n: number, { B, alpha }: { B: number; alpha: number }, optimizer: string) =>
    run({
      model: { sequence: 16 },
      layers: [layer('block', 'transformer', gpt)],
      cluster: `gpu[${n}] = gpu  link = ${B}GB/s + ${alpha}us`,
      pipeline: { microbatches: 1, stages: 'balance(1)', schedule: '1f1b', data: n, optimizer },
    }).report.devices[0].sync;

  test('all-reduce: 2(n − 1)α + 2(n − 1)/n · S/B', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 2, max: 64 }), (one, n) => {
        const S = 4 * parametersOf(1);
        const { time, bytes } = syncOf(n, one, 'megatron_bf16');
        const closed = 2 * (n - 1) * one.alpha * us + ((2 * (n - 1)) / n) * (S / (one.B * GB));
        expect(time).toSatisfy((found: number) => near(found, closed));
        expect(bytes).toSatisfy((found: number) => near(found, ((2 * (n - 1)) / n) * S));
      }),
      { numRuns: 30 },
    );
  });

  test('reduce-scatter of fp32 gradients, then all-gather of bf16 weights: (n − 1)α + (n − 1)/n · S/B each', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 2, max: 64 }), (one, n) => {
        const { time } = syncOf(n, one, 'megatron_bf16(shard = distributed)');
        const each = (S: number) => (n - 1) * one.alpha * us + ((n - 1) / n) * (S / (one.B * GB));
        expect(time).toSatisfy((found: number) => near(found, each(4 * parametersOf(1)) + each(2 * parametersOf(1))));
      }),
      { numRuns: 30 },
    );
  });

  test('bus bandwidth as nccl-tests counts it is B: S / t · 2(n − 1)/n of an all-reduce, (n − 1)/n of its halves and an all-to-all', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 2, max: 512 }), fc.integer({ min: 1, max: 1e9 }), ({ B }, n, bytes) => {
        const ring = { bandwidth: B * GB, latency: 0 };
        for (const [pattern, factor] of [
          ['all_reduce', (2 * (n - 1)) / n],
          ['all_gather', (n - 1) / n],
          ['reduce_scatter', (n - 1) / n],
          ['all_to_all', (n - 1) / n],
        ] as const) {
          const busbw = (bytes / collectiveTime({ pattern, bytes }, n, ring)) * factor;
          expect(busbw).toSatisfy((found: number) => near(found, B * GB));
        }
      }),
    );
  });

  test('all-to-all: (n − 1)α + (n − 1)/n · S/B for what a rank has to send', () => {
    fc.assert(
      fc.property(link, fc.constantFrom(2, 3, 4, 6, 12), fc.constantFrom(1, 2, 3), ({ B, alpha }, n, k) => {
        const { report } = run({
          model: { sequence: 60 },
          layers: [layer('block', 'transformer', { ...gpt, experts: 12, experts_per_token: k, expert_ffn: 8 })],
          cluster: `gpu[${n}] = gpu  link = ${B}GB/s + ${alpha}us`,
          pipeline: { microbatches: 1, stages: 'balance(1)', schedule: '1f1b', data: n, expert: n },
        });
        const S = 2 * k * 60 * h;
        const each = (n - 1) * alpha * us + ((n - 1) / n) * (S / (B * GB));
        const { bytes = 0, time = 0, exposed = 0 } = report.stages[0].traffic?.expert ?? {};
        expect(bytes).toSatisfy((found: number) => near(found, 4 * ((n - 1) / n) * S));
        expect(time).toSatisfy((found: number) => near(found, 4 * each));
        expect(exposed).toBe(time);
      }),
      { numRuns: 30 },
    );
  });

  test('all-to-all over N nodes of g devices: the slower of what leaves the node and what stays', () => {
    fc.assert(
      fc.property(link, link, fc.constantFrom([2, 2], [2, 3], [3, 2], [3, 4]), (inside, outside, [N, g]) => {
        const n = N * g;
        const { report } = run({
          model: { sequence: 60 },
          layers: [layer('block', 'transformer', { ...gpt, experts: 12, experts_per_token: 2, expert_ffn: 8 })],
          cluster: `node[${N}] { gpu[${g}] = gpu  link = ${inside.B}GB/s + ${inside.alpha}us }  link = ${outside.B}GB/s + ${outside.alpha}us`,
          pipeline: { microbatches: 1, stages: 'balance(1)', schedule: '1f1b', data: n, expert: n },
        });
        const S = 2 * 2 * 60 * h;
        const moving = Math.max(((g - 1) / n) * (S / (inside.B * GB)), ((n - g) / n) * (S / (outside.B * GB)));
        const each = (n - 1) * Math.max(inside.alpha, outside.alpha) * us + moving;
        const { time = 0 } = report.stages[0].traffic?.expert ?? {};
        expect(time).toSatisfy((found: number) => near(found, 4 * each));
      }),
      { numRuns: 30 },
    );
  });
});

describe('all-reduce over nodes', () => {
  test('N nodes of g devices, each with a card: the faster of g rings and of trees of nodes', () => {
    fc.assert(
      fc.property(
        fc.record({ B: fc.integer({ min: 50, max: 400 }), alpha: fc.integer({ min: 0, max: 5 }) }),
        fc.record({ B: fc.integer({ min: 1, max: 50 }), alpha: fc.integer({ min: 5, max: 30 }) }),
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 2, max: 8 }),
        (inside, outside, N, g) => {
          const { sync } = run({
            model: { sequence: 16 },
            layers: [layer('block', 'transformer', gpt)],
            cluster: `node[${N}] { gpu[${g}] = gpu  link = ${inside.B}GB/s + ${inside.alpha}us }  link = ${outside.B}GB/s + ${outside.alpha}us`,
            pipeline: {
              microbatches: 1,
              stages: 'balance(1)',
              schedule: '1f1b',
              data: N * g,
              optimizer: 'megatron_bf16',
            },
          }).report.devices[0];
          const S = 4 * parametersOf(1);
          const n = N * g;
          const ofLinks = (g / (g - 1)) * inside.B * GB;
          const ofRings = Math.min(g * outside.B * GB, ofLinks);
          // Steps of a ring that stay in their node, and those that leave it.
          const ring =
            2 * (n - N) * inside.alpha * us + 2 * (N - 1) * outside.alpha * us + ((2 * (n - 1)) / n) * (S / ofRings);
          const ofTrees = 0.92 * ofRings;
          const depth = (g - 1) * inside.alpha * us + Math.floor(Math.log2(N)) * outside.alpha * us;
          const closed = Math.min(ring, 2 * depth + (2 * S) / ofTrees);
          expect(sync.time).toSatisfy((found: number) => near(found, closed));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('BlueConnect: Σᵢ 2(pᵢ − 1)αᵢ + 2(pᵢ − 1)/pᵢ · (S / Π_{j<i} pⱼ)/Bᵢ', () => {
    const level = fc.record({
      ranks: fc.integer({ min: 2, max: 16 }),
      ring: fc.record({
        bandwidth: fc.integer({ min: 1, max: 400 }).map((value) => value * GB),
        latency: fc.integer({ min: 0, max: 30 }).map((value) => value * us),
      }),
    });
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 1e9 }), (levels, S) => {
        let [closed, product] = [0, 1];
        for (const { ranks, ring } of levels) {
          closed += 2 * (ranks - 1) * ring.latency + ((2 * (ranks - 1)) / ranks) * (S / product / ring.bandwidth);
          product *= ranks;
        }
        expect(callSeconds(blueconnectCall(levels).push, S)).toSatisfy((found: number) => near(found, closed));
      }),
    );
  });
});

describe('parameter servers', () => {
  test('a worker alone pushes and pulls S over q servers: 2S/(q·B) + 2α', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 1, max: 8 }), fc.boolean(), ({ B, alpha }, q, half) => {
        const duplex = half ? 'half' : 'full';
        const servers = serversOf({ servers: q, link: { bandwidth: B * GB, latency: alpha * us, duplex } });
        const S = 1e9;
        const { until } = servers.pull(S, servers.push(S, 0).until);
        expect(until).toSatisfy((found: number) => near(found, (2 * S) / (q * B * GB) + 2 * alpha * us));
      }),
    );
  });

  test('of w workers at once the servers move 2·S·w/(q·B) where a link takes one way at a time, half of it both ways', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), ({ B }, q, w) => {
        const S = 1e9;
        const each = S / (q * B * GB);
        for (const [duplex, closed] of [
          ['half', 2 * w * each],
          // The first pull begins when the first push is there, and pulls follow one another.
          ['full', (w + 1) * each],
        ] as const) {
          const servers = serversOf({ servers: q, link: { bandwidth: B * GB, latency: 0, duplex } });
          const pushed = Array.from({ length: w }, () => servers.push(S, 0).until);
          const pulled = pushed.map((at) => servers.pull(S, at).until);
          expect(Math.max(...pulled)).toSatisfy((found: number) => near(found, closed));
        }
      }),
    );
  });
});
