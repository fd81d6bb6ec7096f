import { describe, expect, it } from 'vitest';
import { dataFile } from '../support/data.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { placed } from './chunked.ts';
import { policyPlan } from './plans.ts';

/** Computing operations of PyTorch's own schedules, by rank; blanks are idle slots, names that end in no number are no computing. */
function golden(file: string): readonly (readonly string[])[] {
  return dataFile(`torch/${file}`)
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split(',')
        .filter((cell) => /^\d+[FBIW]\d+$/.test(cell.trim()))
        .map((cell) => cell.trim()),
    );
}

describe('PyTorch 2.14', () => {
  it('orders GPipe as we do', () => {
    expect(namesOf(programFor(policyPlan('gpipe', 4, 8)))).toEqual(golden('torch2141_GPipe_p4_m8_v1_compute.csv'));
  });
  it('orders 1F1B as we do, but for its last rank, which names a microbatch that is not there', () => {
    const theirs = golden('torch2141_1F1B_p4_m8_v1_compute.csv');
    expect(theirs[3]).toContain('3F8');
    expect(namesOf(programFor(policyPlan('1f1b', 4, 8))).slice(0, 3)).toEqual(theirs.slice(0, 3));
  });
  it('orders Interleaved1F1B as we do', () => {
    const ours = namesOf(programFor(policyPlan('interleaved_1f1b', 4, 8, { v: 2 })));
    expect(ours).toEqual(golden('torch2141_Interleaved1F1B_p4_m8_v2_compute.csv'));
  });
  it('orders ZBVZeroBubble as we do', () => {
    const ours = namesOf(placed('zb_v', 4, 8).program);
    expect(ours).toEqual(golden('torch2141_ZBVZeroBubble_p4_m8_v2_compute.csv'));
    expect(ours[0].slice(0, 11)).toEqual('0F0,0F1,0F2,0F3,0F4,0F5,0F6,7F0,7I0,7W0,7F1'.split(','));
  });
  it('orders InterleavedZeroBubble as we do', () => {
    expect(namesOf(placed('interleaved_zb', 4, 8, { chunks: 2 }).program)).toEqual(
      golden('torch213_InterleavedZeroBubble_p4_m8_v2_compute.csv'),
    );
    expect(namesOf(placed('interleaved_zb', 4, 10, { chunks: 3 }).program)).toEqual(
      golden('torch213_InterleavedZeroBubble_p4_m10_v3_compute.csv'),
    );
  });
  it('orders ZBVZeroBubble as we do where microbatches are few', () => {
    expect(namesOf(placed('zb_v', 4, 3).program)).toEqual(golden('torch213_ZBVZeroBubble_p4_m3_v2_compute.csv'));
  });
  it('orders LoopedBFS as we do', () => {
    expect(namesOf(placed('breadth_first', 3, 4, { chunks: 2 }).program)).toEqual(
      golden('torch213_LoopedBFS_p3_m4_v2_compute.csv'),
    );
  });

  /** `_get_1f1b_rank_ops` of torch/distributed/pipelining/schedules.py, for ScheduleInterleaved1F1B, written anew. */
  const interleaved = (p: number, m: number, v: number, rank: number): readonly string[] => {
    const rounds = Math.max(1, Math.floor(m / p));
    const group = Math.floor(m / rounds);
    const warmup = Math.min((v - 1) * group + 2 * (p - 1 - rank), m * v);
    const next = { F: new Map<number, number>(), B: new Map<number, number>() };
    const cell = (kind: 'F' | 'B', step: number): string => {
      const turn = Math.floor(step / group) % v;
      const stage = (kind === 'F' ? turn : v - 1 - turn) * p + rank;
      const microbatch = next[kind].get(stage) ?? 0;
      next[kind].set(stage, microbatch + 1);
      return `${stage}${kind}${microbatch}`;
    };
    const row: string[] = [];
    for (let step = 0; step < m * v + warmup; step += 1) {
      if (step < m * v) row.push(cell('F', step));
      if (step >= warmup) row.push(cell('B', step - warmup));
    }
    return row;
  };
  it('orders Interleaved1F1B as we do where microbatches are fewer than ranks, and in its rounds otherwise', () => {
    expect(Array.from({ length: 4 }, (_, rank) => interleaved(4, 8, 2, rank))).toEqual(
      golden('torch2141_Interleaved1F1B_p4_m8_v2_compute.csv'),
    );
    for (const p of [2, 3, 4, 7]) {
      for (const v of [1, 2, 3]) {
        for (let m = 1; m <= 3 * p; m += 1) {
          const rounds = Math.max(1, Math.floor(m / p));
          if (m % rounds !== 0) continue;
          const args = { chunks: v, group: m / rounds };
          const theirs = Array.from({ length: p }, (_, rank) => interleaved(p, m, v, rank));
          expect(namesOf(placed('interleaved_1f1b', p, m, args).program)).toEqual(theirs);
          if (m < p) expect(namesOf(placed('interleaved_1f1b', p, m, { chunks: v }).program)).toEqual(theirs);
        }
      }
    }
  });
});
