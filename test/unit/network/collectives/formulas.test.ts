/** Costs of calls by their closed forms, with the figures of a worked case. */
import { describe, expect, test } from 'vitest';
import { callSeconds, leastOf, linear, withFixed, withShare } from '../../../../engine/basics/callCost.ts';
import type { CallCost, LaneCall } from '../../../../engine/values/exchangePlan.ts';
import { blueconnectCall } from '../../../../engine/network/collectives/blueconnect.ts';
import {
  factorElements,
  factorsAreFewer,
  factorsCall,
  serverElements,
} from '../../../../engine/network/collectives/factors.ts';
import { halvingCall } from '../../../../engine/network/collectives/halving.ts';
import { ncclCall, ncclRingSeconds, ncclTreeSeconds } from '../../../../engine/network/collectives/nccl.ts';
import { protocols } from '../../../../engine/network/collectives/ncclTuning.ts';
import { ringCall } from '../../../../engine/network/collectives/ring.ts';
import { colocatedCall, serversCall, withFactorsPushed } from '../../../../engine/network/collectives/servers.ts';
import { treeCall } from '../../../../engine/network/collectives/tree.ts';
import * as fc from '../../../support/property.ts';

const ring = { bandwidth: 10e9, latency: 10e-6 };
/** With one rank each. */
const machines = (count: number) => ({
  ...{ ranks: 1, count, senders: [], ...ring },
  inside: { fixed: 0, perByte: 0 },
});
const bytes = 100e6;
const ms = (cost: CallCost | undefined): number => (cost === undefined ? NaN : callSeconds(cost, bytes) * 1e3);
const both = ({ push, pull, delay = 0 }: LaneCall): number =>
  ms(push) + 1e3 * delay + (pull === undefined ? 0 : ms(pull) + 1e3 * delay);
const halving = (ranks: number): LaneCall => {
  const call = halvingCall(ranks, ring);
  if ('problem' in call) throw new Error(call.problem);
  return call;
};

describe('100 MB over 8 ranks at 10 GB/s and 10 us', () => {
  test.each<[string, LaneCall, number]>([
    ['ring', ringCall(8, ring), 17.64],
    ['halving', halving(8), 17.56],
    ['tree', treeCall(8, ring), 20.06],
    ['8 servers', serversCall(machines(8), { count: 8, ...ring }), 20.02],
    ['servers on the ranks', colocatedCall(machines(8)), 17.52],
  ])('%s', (_, call, expected) => {
    expect(both(call)).toBeCloseTo(expected, 10);
  });

  test('servers have a push lane and a pull lane, unless they are on the ranks', () => {
    expect(serversCall(machines(8), { count: 8, ...ring }).oneLane).toBeUndefined();
    expect(colocatedCall(machines(8)).oneLane).toBe(true);
  });

  test('few servers are as slow as their links: 2 servers take w/k = 4 times as long', () => {
    expect(both(serversCall(machines(8), { count: 2, ...ring }))).toBeCloseTo(80.02, 10);
    // Servers with faster links, until the worker's link is full.
    expect(both(serversCall(machines(8), { count: 2, bandwidth: 40e9, latency: 0 }))).toBeCloseTo(20.02, 10);
    expect(both(serversCall(machines(8), { count: 2, bandwidth: 20e9, latency: 30e-6 }))).toBeCloseTo(40.06, 10);
  });
});

test('the halves of a call take as long as the call', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 1e9 }),
      (power, gigabytes, us, size) => {
        const on = { bandwidth: gigabytes * 1e9, latency: us * 1e-6 };
        const levels = [
          { ranks: 2 ** power, ring: on },
          { ranks: 3, ring },
        ];
        for (const call of [ringCall(2 ** power, on), halvingCall(2 ** power, on), blueconnectCall(levels)]) {
          if ('problem' in call || call.halves === undefined) throw new Error('no halves');
          const sum = callSeconds(call.halves.scatter, size) + callSeconds(call.halves.gather, size);
          expect(sum).toBeCloseTo(callSeconds(call.push, size), 12);
        }
      },
    ),
  );
});

test('one rank has nothing to send', () => {
  const none = { bandwidth: 0, latency: 0 };
  for (const call of [ringCall(1, none), halving(1), treeCall(1, ring), colocatedCall(machines(1))])
    expect(both(call)).toBe(0);
  expect(ms(ncclCall({ ranks: 1, nodes: 1, inside: 'nvlink', bandwidth: 0 }).push)).toBe(0);
});

test('halving of other numbers of ranks names the nearest power of two', () => {
  const nearest = (ranks: number) => {
    const call = halvingCall(ranks, ring);
    return 'problem' in call ? call.nearest : undefined;
  };
  expect([3, 5, 6, 7, 12, 13, 24].map(nearest)).toEqual([2, 4, 4, 8, 8, 16, 16]);
  expect([1, 2, 4, 64].map(nearest)).toEqual([undefined, undefined, undefined, undefined]);
});

describe('blueconnect of 8 × 4 ranks', () => {
  const inside = { ranks: 8, ring: { bandwidth: 100e9, latency: 5e-6 } };
  const between = { ranks: 4, ring: { bandwidth: 1.25e9, latency: 20e-6 } };
  test('inside first, outside first, and one ring over all', () => {
    expect(ms(blueconnectCall([inside, between]).push)).toBeCloseTo(16.94, 10);
    expect(ms(blueconnectCall([between, inside]).push)).toBeCloseTo(120.6275, 10);
    expect(ms(ringCall(32, between.ring).push)).toBeCloseTo(156.24, 10);
  });
});

describe('factors', () => {
  const vgg = { rows: 25088, columns: 4096, samples: 32 };
  const wide = { rows: 10000, columns: 1000, samples: 3000 };
  test('elements of 8 workers and 8 servers, by the table of Poseidon', () => {
    expect(factorElements(vgg, 8)).toBe(13_074_432);
    expect(serverElements(vgg, 8, 8)).toBe(359_661_568);
    expect(factorElements(wide, 8)).toBe(462e6);
    expect(serverElements(wide, 8, 8)).toBe(35e6);
    expect([vgg, wide].map((shape) => factorsAreFewer(shape, 8, 8))).toEqual([true, false]);
    // As many elements: 2K(P − 1)·2N = 2N²·2(P − 1)/P.
    expect(factorsAreFewer({ rows: 64, columns: 64, samples: 8 }, 8, 8)).toBe(true);
    expect(factorsAreFewer({ rows: 64, columns: 64, samples: 9 }, 8, 8)).toBe(false);
  });
  test('seconds: half of the elements go out of a rank, and as many come in at the same time', () => {
    const gradient = 4 * 25088 * 4096;
    const { push } = factorsCall(vgg, 8, ring);
    expect(callSeconds(push, gradient)).toBeCloseTo(7 * 10e-6 + (13_074_432 / 2) * (4 / 10e9), 12);
  });
  test('pushed to servers: K(M + N) up, M·N down', () => {
    const servers = serversCall(machines(8), { count: 8, ...ring });
    const call = withFactorsPushed(servers, servers, vgg);
    expect(callSeconds(call.push, 4 * 25088 * 4096)).toBeCloseTo((32 * (25088 + 4096) * 4) / 10e9, 12);
    expect(callSeconds(call.pull ?? linear(0, 0), 4 * 25088 * 4096)).toBeCloseTo((25088 * 4096 * 4) / 10e9, 12);
    expect(call.delay).toBe(10e-6);
  });
});

describe('nccl', () => {
  const of = (ranks: number, nodes: number) => ({ ranks, nodes, inside: 'nvlink' as const, bandwidth: 100e9 });
  const us = 1e-6;
  test('latencies with the Simple protocol', () => {
    expect(ncclRingSeconds(of(8, 1), 'Simple') / us).toBeCloseTo(56, 9);
    expect(ncclTreeSeconds(of(8, 1), 'Simple') / us).toBeCloseTo(64.4, 9);
    expect(ncclRingSeconds(of(64, 8), 'Simple') / us).toBeCloseTo(585.2, 9);
    expect(ncclTreeSeconds(of(64, 8), 'Simple') / us).toBeCloseTo(148.4, 9);
  });
  test('over PCIe and with the other protocols', () => {
    const pci = { ...of(8, 1), inside: 'pci' as const };
    // 6.6 + 14 · 1, 14 + 14 · 2.5, 8.4 + 14 · 5.7; 6.8 + 14 · 1, 14 + 14 · 1.9, 8.4 + 14 · 4.
    expect(protocols.map((protocol) => Math.round((ncclRingSeconds(pci, protocol) / us) * 1e6) / 1e6)).toEqual([
      20.6, 49, 88.2,
    ]);
    expect(protocols.map((protocol) => Math.round((ncclTreeSeconds(pci, protocol) / us) * 1e6) / 1e6)).toEqual([
      20.8, 40.6, 64.4,
    ]);
  });
  test('small messages take LL, large ones Simple over the ring', () => {
    const { push, halves } = ncclCall(of(8, 1));
    // LL: 6.6 + 14 · 0.6 us, at half of the bandwidth.
    expect(callSeconds(push, 64) / us).toBeCloseTo(15 + (((2 * 7) / 8) * 64) / 50e3, 9);
    expect(callSeconds(push, 1e9) / us).toBeCloseTo(56 + (((2 * 7) / 8) * 1e9) / 100e3, 6);
    expect(callSeconds(halves?.scatter ?? push, 1e9) / us).toBeCloseTo(8.4 + 7 * 3.4 + ((7 / 8) * 1e9) / 100e3, 6);
  });
  test('trees win between nodes, with the published correction at their size', () => {
    const { push } = ncclCall(of(512, 64));
    // 4 MiB = 64 · 2^16 bytes. LL128: 14 + 2(7 · 1.25 + 6 · 8.5) us, 0.92 · 120/128 · 0.8 of the bandwidth.
    const tree = 14 + 2 * (7 * 1.25 + 6 * 8.5) + (2 * 2 ** 22) / (100e3 * 0.92 * (120 / 128) * 0.8);
    expect(callSeconds(push, 2 ** 22) / us).toBeCloseTo(tree, 6);
    const below = 14 + 2 * (7 * 1.25 + 6 * 8.5) + (2 * (2 ** 22 - 1)) / (100e3 * 0.92 * (120 / 128) * 0.6);
    expect(callSeconds(push, 2 ** 22 - 1) / us).toBeCloseTo(below, 6);
  });
});

describe('a cost', () => {
  const steps: CallCost = { kind: 'steps', from: [0, 10], of: [linear(1, 1), linear(5, 0)] };
  const table: CallCost = { kind: 'table', fixed: 0, bytes: [10, 20, 40], seconds: [1, 2, 8] };
  test('in steps', () => {
    expect([0, 9, 10, 11].map((size) => callSeconds(steps, size))).toEqual([1, 10, 5, 5]);
  });
  test('by a table: the first point below it, the last rate above it', () => {
    expect([0, 10, 15, 20, 30, 40, 50].map((size) => callSeconds(table, size))).toEqual([1, 1, 1.5, 2, 5, 8, 11]);
  });
  test('with more seconds a call, and with other bytes', () => {
    for (const cost of [linear(1, 2), steps, table, leastOf([steps, table])])
      for (const size of [0, 5, 12, 30, 100]) {
        expect(callSeconds(withFixed(cost, 3), size)).toBeCloseTo(callSeconds(cost, size) + 3, 12);
        expect(callSeconds(withShare(cost, 2), size)).toBeCloseTo(callSeconds(cost, 2 * size), 12);
      }
  });
});
