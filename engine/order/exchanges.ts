import type { Exchanges } from '../values/timeline.ts';
import type { TransferRule } from '../values/plan.ts';
import {
  B,
  I,
  kindOfRow,
  microbatchOf,
  type Program,
  resultRowOf,
  resultSlotOf,
  resultsIn,
  rowOf,
  type ShiftedNeeds,
  stageOf,
} from '../values/program.ts';
import { slotWidth } from './slot.ts';

/** What each row (kind × stages + stage) of a program needs: `needs[first[row]]` to `needs[last[row]]`, result rows. */
export interface NeedTable extends ShiftedNeeds {
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Device of an item. */
export function deviceOfItem({ offsets }: Exchanges, item: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= item) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The positions of sends and receives. A receive comes right before the operation that needs it, a send right after the one that
 * makes it. Sends of an operation come before receives of the next. If stages have several neighbours, what is needed first is
 * sent first (the nearest stage), and what is there first is received first (the farthest). With `batched`, the exchanges between
 * two operations are issued together. `peer` joins what goes to and comes from one device (Megatron-LM's
 * `send_forward_recv_backward`), `all` joins all. Linear in operations and needs. Only results of another device are exchanged.
 * Gradients that copies of a stage reduce are not: a collective is no send.
 */
export function exchangesOf(program: Program, table: NeedTable, batched: TransferRule['batched']): Exchanges {
  const { devices, stages, microbatches, order, offsets, placement } = program;
  const { first, last, needs, needShift } = table;
  const made = new Uint8Array(resultsIn(program) * stages * microbatches);
  for (const word of order) made[resultSlotOf(program, word)] = 1;
  // Exchange of a need and microbatch.
  const exchangeAt = new Int32Array(needs.length * microbatches).fill(-1);
  let count = 0;
  for (const word of order) {
    const device = placement[stageOf(program, word)];
    for (let at = first[rowOf(program, word)]; at < last[rowOf(program, word)]; at += 1) {
      if (needShift !== undefined && needShift[at] !== 0) continue;
      if (
        placement[needs[at] % stages] === device ||
        made[needs[at] * microbatches + microbatchOf(program, word)] === 0
      )
        continue;
      exchangeAt[at * microbatches + microbatchOf(program, word)] = count;
      count += 1;
    }
  }
  const users = usersOf(program, table);
  const [need, microbatch, sender, receiver, madeAt, usedAt] = Array.from({ length: 6 }, () => new Int32Array(count));
  /** The other device, as the device at hand sees it. */
  const peer = new Int32Array(count);
  const slot = new Int32Array(order.length + 2 * count);
  const from = new Int32Array(slot.length + 1);
  const members = new Int32Array(2 * count);
  const itemOffsets = new Int32Array(devices + 1);
  let items = 0;
  let placed = 0;
  let sends: number[] = [];
  let receives: number[] = [];

  const item = (position: number): void => {
    slot[items] = position;
    items += 1;
    from[items] = placed;
  };
  const group = (some: readonly number[]): void => {
    for (const index of some) {
      (sends.includes(index) ? sender : receiver)[index] = items;
      members[placed] = index;
      placed += 1;
    }
    item(-1);
  };
  /** The exchanges between two slots, in groups. */
  const gap = (): void => {
    const all = [...sends, ...receives];
    if (batched === 'all' && all.length > 0) group(all);
    else if (batched === 'none') for (const value of all) group([value]);
    else {
      const joined = new Set<number>();
      for (const index of all) {
        if (joined.has(peer[index])) continue;
        const ofPeer = (some: readonly number[]) => some.filter((other) => peer[other] === peer[index]);
        if (ofPeer(sends).length === 0 || ofPeer(receives).length === 0) {
          group([index]);
          continue;
        }
        joined.add(peer[index]);
        group(ofPeer(all));
      }
    }
    sends = [];
    receives = [];
  };

  for (let device = 0; device < devices; device += 1) {
    for (let position = offsets[device]; position < offsets[device + 1];) {
      const width = slotWidth(program, position);
      for (let at = position; at < position + width; at += 1) {
        const row = rowOf(program, order[at]);
        const before = receives.length;
        for (let edge = first[row]; edge < last[row]; edge += 1) {
          const exchange = exchangeAt[edge * microbatches + microbatchOf(program, order[at])];
          if (exchange < 0) continue;
          peer[exchange] = placement[needs[edge] % stages];
          need[exchange] = edge;
          microbatch[exchange] = microbatchOf(program, order[at]);
          usedAt[exchange] = at;
          receives.push(exchange);
        }
        if (receives.length - before > 1) {
          const away = (exchange: number) => Math.abs((needs[need[exchange]] % stages) - (row % stages));
          receives = [...receives.slice(0, before), ...receives.slice(before).sort((a, b) => away(b) - away(a))];
        }
      }
      gap();
      item(position);
      for (let at = position; at < position + width; at += 1) {
        const result = resultRowOf(stages, rowOf(program, order[at]));
        for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) {
          const exchange = exchangeAt[users.needs[use] * microbatches + microbatchOf(program, order[at])];
          if (exchange < 0) continue;
          peer[exchange] = users.device[use];
          madeAt[exchange] = at;
          sends.push(exchange);
        }
      }
      position += width;
    }
    gap();
    itemOffsets[device + 1] = items;
  }
  return {
    offsets: itemOffsets,
    slot: slot.subarray(0, items),
    from: from.subarray(0, items + 1),
    members,
    need,
    microbatch,
    sender,
    receiver,
    madeAt,
    usedAt,
  };
}

/** Needs by the result that they ask for, with the device that needs it; nearest stages first. */
function usersOf(program: Program, { first, last, needs }: NeedTable) {
  const { stages, placement } = program;
  const users: { readonly need: number; readonly stage: number }[][] = Array.from(
    { length: resultsIn(program) * stages },
    () => [],
  );
  for (let row = 0; row < first.length; row += 1) {
    // The two kinds of backward may share one list.
    if (kindOfRow(stages, row) === I && first[row] === first[row + (B - I) * stages]) continue;
    for (let need = first[row]; need < last[row]; need += 1) users[needs[need]].push({ need, stage: row % stages });
  }
  for (const [result, list] of users.entries()) {
    const away = ({ stage }: { readonly stage: number }) => Math.abs(stage - (result % stages));
    list.sort((a, b) => away(a) - away(b));
  }
  const offsets = new Int32Array(users.length + 1);
  for (const [result, list] of users.entries()) offsets[result + 1] = offsets[result] + list.length;
  const flat = users.flat();
  return {
    offsets,
    needs: Int32Array.from(flat, ({ need }) => need),
    device: Int32Array.from(flat, ({ stage }) => placement[stage]),
  };
}
