import assert from 'node:assert/strict';
import path from 'node:path';
import { exportTorch } from '../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../engine/formats/torchCsv/table.ts';
import { placed } from '../unit/schedule/chunked.ts';
import { test } from '../support/plainTests.ts';
import { python } from './python.ts';

/** Policies that PyTorch has, too; `chunks` for those that take them. */
const pairs: readonly { readonly policy: string; readonly schedule: string; readonly chunks: readonly number[] }[] = [
  { policy: 'gpipe', schedule: 'ScheduleGPipe', chunks: [1] },
  { policy: '1f1b', schedule: 'Schedule1F1B', chunks: [1] },
  { policy: 'interleaved_1f1b', schedule: 'ScheduleInterleaved1F1B', chunks: [2, 3, 4] },
  { policy: 'breadth_first', schedule: 'ScheduleLoopedBFS', chunks: [2, 3, 4] },
  { policy: 'interleaved_zb', schedule: 'ScheduleInterleavedZeroBubble', chunks: [2, 3, 4] },
  { policy: 'zb_v', schedule: 'ScheduleZBVZeroBubble', chunks: [2] },
  { policy: 'dualpipe_v', schedule: 'ScheduleDualPipeV', chunks: [2] },
];
const takesChunks = new Set(['interleaved_1f1b', 'breadth_first', 'interleaved_zb']);
const mostMicrobatches = 17;

/** Our order of each rank, by PyTorch's names; `undefined` where the policy does not take the shape. */
function ourOrder(policy: string, ranks: number, microbatches: number, chunks: number): string[][] | undefined {
  try {
    const { plan, program } = placed(policy, ranks, microbatches, takesChunks.has(policy) ? { chunks } : {});
    const exported = exportTorch(plan, program, false);
    assert.ok('table' in exported, JSON.stringify(exported));
    return exported.table.rows.map((row) => row.filter((cell) => cell.kind !== 'blank').map(cellText));
  } catch (error) {
    // `placed` throws the fault of a shape that the policy does not take.
    if (error instanceof assert.AssertionError) throw error;
    return undefined;
  }
}

/** `Schedule1F1B` counts the forwards of its last rank from 1 when it lists itself; it runs them from 0. */
function repaired(schedule: string, order: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (schedule !== 'Schedule1F1B') return order;
  const shift = (name: string): string => name.replace(/(?<=F)\d+$/, (number) => String(Number(number) - 1));
  return order.map((row, rank) => (rank === order.length - 1 ? row.map(shift) : row));
}

const cases = pairs.flatMap(({ policy, schedule, chunks }) =>
  [1, 2, 3, 4, 5, 8]
    .flatMap((ranks) => chunks.map((each) => ({ policy, schedule, ranks, each })))
    .flatMap((one) => Array.from({ length: mostMicrobatches }, (_, at) => ({ ...one, microbatches: at + 1 })))
    .flatMap((one) => {
      const ours = ourOrder(one.policy, one.ranks, one.microbatches, one.each);
      return ours === undefined ? [] : [{ ...one, ours }];
    }),
);

/** PyTorch's orders of all cases, or what it refuses them with. One program for all tests: to import PyTorch takes seconds. */
let answers: readonly (string | string[][])[] | undefined;
async function theirOrders(): Promise<readonly (string | string[][])[]> {
  if (answers === undefined) {
    const asked = cases.map(({ schedule, ranks, each, microbatches }) => ({
      schedule,
      ranks,
      stages: ranks * each,
      microbatches,
    }));
    const { status, out, err } = await python([path.join(import.meta.dirname, 'orders.py')], JSON.stringify(asked));
    assert.equal(status, 0, err);
    answers = JSON.parse(out) as (string | string[][])[];
  }
  return answers;
}

for (const { policy, schedule } of pairs) {
  test(`${policy} is the order of ${schedule}`, async () => {
    const orders = await theirOrders();
    assert.equal(orders.length, cases.length);
    let asked = 0;
    let compared = 0;
    const refused = new Set<string>();
    for (const [at, { ours, ranks, each, microbatches, ...one }] of cases.entries()) {
      if (one.policy !== policy) continue;
      asked += 1;
      const theirs = orders[at];
      // PyTorch does not take every shape that we do.
      if (typeof theirs === 'string') {
        refused.add(theirs);
        continue;
      }
      compared += 1;
      assert.deepEqual(ours, repaired(schedule, theirs), `p = ${ranks}, v = ${each}, m = ${microbatches}`);
    }
    console.log(`       ${compared} of ${asked} shapes compared`);
    assert.ok(
      compared >= 20,
      `only ${compared} shapes of ${asked} were compared: ${[...refused].join('; ').slice(0, 300)}`,
    );
  });
}
