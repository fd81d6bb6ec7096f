/**
 * Collectives played as messages between ranks: each message carries parts, and each part knows whose gradients are in it. A rank
 * sends one message at a time and receives one at a time. So the formulas follow from what ranks do.
 */
import { describe, expect, test } from 'vitest';
import { callSeconds } from '../../../../engine/basics/callCost.ts';
import { halvingCall } from '../../../../engine/network/collectives/halving.ts';
import { ringCall } from '../../../../engine/network/collectives/ring.ts';
import { treeCall } from '../../../../engine/network/collectives/tree.ts';

const [alpha, bandwidth] = [3e-6, 7e9];
const ring = { bandwidth, latency: alpha };

/** Of each rank and part, whose gradients its copy contains, as bits. */
type Held = readonly number[][];
const start = (ranks: number, parts: number): Held =>
  Array.from({ length: ranks }, (_, rank) => Array.from({ length: parts }, () => 1 << rank));
const complete = (held: Held): boolean => {
  const all = (1 << held.length) - 1;
  return held.every((parts) => parts.every((bits) => bits === all));
};

interface Message {
  readonly from: number;
  readonly to: number;
  readonly parts: readonly number[];
  readonly adds: boolean;
}

/** Messages of one round are sent at the same time; its seconds. */
function play(held: Held, messages: readonly Message[], partBytes: number): number {
  const sent = messages.map(({ from, parts }) => parts.map((part) => held[from][part]));
  let seconds = 0;
  const [sends, receives] = [new Map<number, number>(), new Map<number, number>()];
  for (const [index, { from, to, parts, adds }] of messages.entries()) {
    for (const [at, part] of parts.entries()) {
      const bits = sent[index][at];
      // A sum must not hold a gradient twice.
      if (adds) expect(held[to][part] & bits).toBe(0);
      held[to][part] = adds ? held[to][part] | bits : bits;
    }
    sends.set(from, (sends.get(from) ?? 0) + parts.length * partBytes);
    receives.set(to, (receives.get(to) ?? 0) + parts.length * partBytes);
  }
  for (const port of [...sends.values(), ...receives.values()]) seconds = Math.max(seconds, alpha + port / bandwidth);
  return seconds;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

test.each([2, 3, 4, 5, 8, 13])('a ring of %i ranks', (ranks) => {
  const bytes = 1e6;
  const held = start(ranks, ranks);
  let seconds = 0;
  for (const adds of [true, false])
    for (let step = 0; step < ranks - 1; step += 1) {
      const messages = range(ranks).map((from) => {
        const part = (from - step + (adds ? 0 : 1) + 2 * ranks) % ranks;
        return { from, to: (from + 1) % ranks, parts: [part], adds };
      });
      seconds += play(held, messages, bytes / ranks);
    }
  expect(complete(held)).toBe(true);
  expect(callSeconds(ringCall(ranks, ring).push, bytes)).toBeCloseTo(seconds, 12);
});

test.each([2, 4, 8, 16])('halving and doubling of %i ranks', (ranks) => {
  const bytes = 1e6;
  const held = start(ranks, ranks);
  let seconds = 0;
  const rounds = Math.log2(ranks);
  // The part that a rank is left with shares the highest bits with it.
  const kept = (rank: number, round: number): readonly number[] => {
    const size = ranks >> round;
    const first = Math.floor(rank / size) * size;
    return range(size).map((offset) => first + offset);
  };
  for (let round = 1; round <= rounds; round += 1) {
    const messages = range(ranks).map((from) => {
      const to = from ^ (ranks >> round);
      return { from, to, parts: kept(to, round), adds: true };
    });
    seconds += play(held, messages, bytes / ranks);
  }
  for (let round = rounds; round >= 1; round -= 1) {
    const messages = range(ranks).map((from) => {
      const to = from ^ (ranks >> round);
      return { from, to, parts: kept(from, round), adds: false };
    });
    seconds += play(held, messages, bytes / ranks);
  }
  expect(complete(held)).toBe(true);
  const call = halvingCall(ranks, ring);
  if ('problem' in call) throw new Error(call.problem);
  expect(callSeconds(call.push, bytes)).toBeCloseTo(seconds, 12);
});

/**
 * Two binary trees over the ranks, each reducing and then broadcasting half of the bytes in parts. A rank is an inner vertex of one
 * tree at most, so no port carries more than a whole copy in each phase.
 */
describe('double binary tree', () => {
  /** Parent by rank: in-order binary tree over ranks 1 … n of which odd numbers are leaves. */
  function parents(ranks: number): readonly number[] {
    const parent = Array.from({ length: ranks }, () => -1);
    const build = (low: number, high: number, above: number): void => {
      if (low > high) return;
      // The largest multiple of a power of two within: odd numbers end up as leaves.
      let step = 1;
      while (Math.ceil(low / (2 * step)) * 2 * step <= high) step *= 2;
      const root = Math.ceil(low / step) * step;
      parent[root - 1] = above - 1;
      build(low, root - 1, root);
      build(root + 1, high, root);
    };
    build(1, ranks, 0);
    return parent;
  }
  test.each([2, 4, 6, 8, 12, 16, 32])('of %i ranks', (ranks) => {
    const bytes = 1e6;
    const first = parents(ranks);
    // The second tree is the first one in a mirror: leaves become inner vertices.
    const second = range(ranks).map((rank) => {
      const up = first[ranks - 1 - rank];
      return up < 0 ? -1 : ranks - 1 - up;
    });
    const inner = (tree: readonly number[]) => new Set(tree.filter((up) => up >= 0));
    expect([...inner(first)].filter((rank) => inner(second).has(rank))).toEqual([]);
    // What a port carries while trees reduce: half of the bytes for each edge to a child, in; and for each edge to a parent, out.
    for (const rank of range(ranks)) {
      const into = [first, second].reduce(
        (sum, tree) => sum + tree.filter((up) => up === rank).length * (bytes / 2),
        0,
      );
      const out = [first, second].reduce((sum, tree) => sum + (tree[rank] >= 0 ? bytes / 2 : 0), 0);
      expect(Math.max(into, out)).toBeLessThanOrEqual(bytes);
    }
    const depthOf = (tree: readonly number[], rank: number): number =>
      tree[rank] < 0 ? 0 : 1 + depthOf(tree, tree[rank]);
    const depth = Math.max(...range(ranks).flatMap((rank) => [depthOf(first, rank), depthOf(second, rank)]));
    const formula = Math.ceil(Math.log2(ranks));
    // Exact for powers of two; with other numbers such trees may be one level lower.
    expect([formula, Number.isInteger(Math.log2(ranks)) ? formula : formula - 1]).toContain(depth);
    const { push } = treeCall(ranks, ring);
    expect(callSeconds(push, 0)).toBeCloseTo(2 * formula * alpha, 12);
    expect(callSeconds(push, bytes) - callSeconds(push, 0)).toBeCloseTo((2 * bytes) / bandwidth, 12);
  });
});
