/** What decides the times of a run whose sends and receives block: its critical path, and what devices wait for in exchanges. */
import { microbatchOf, resultRowOf, rowOf } from '../values/program.ts';
import { deviceOfItem } from '../order/exchanges.ts';
import { slotWidth } from '../order/slot.ts';
import { type Blocking, type Timeline, arrivalAt, startAt } from '../values/timeline.ts';
import { bindingNeed } from './binding.ts';

/**
 * The chain of operations that decides when `device` begins its step: positions in `order`, first operation first. It walks back
 * from an exchange to the device that came to it last, and stays on its device if both came at once. If the transfer waited for
 * its channel, it goes to the sender. From an update that waited for another copy's gradients it goes to that copy.
 */
export function blockingPath(timeline: Timeline, blocking: Blocking, device: number): Int32Array {
  const { exchanges, left, began } = blocking;
  const { offsets, slot, from, members, sender, receiver } = exchanges;
  const slack = timeline.makespan * 1e-12;
  const first = (item: number): boolean => item === offsets[deviceOfItem(exchanges, item)];
  const leftAt = (item: number, time: number): boolean => !first(item) && Math.abs(left[item - 1] - time) <= slack;
  const path: number[] = [];
  // Each step goes to an item that ended before this one could: the walk ends.
  for (let item = offsets[device + 1] - 1; item >= offsets[device];) {
    if (slot[item] >= 0) {
      const position = slot[item] + slotWidth(timeline.program, slot[item]) - 1;
      path.push(position);
      if (startAt(timeline, position) <= slack) break;
      const waits = first(item) ? 0 < startAt(timeline, position) : !leftAt(item, startAt(timeline, position));
      const made = waits ? itemOfNeed(timeline, blocking, position, slack) : -1;
      if (made < 0 && first(item)) break;
      item = made < 0 ? item - 1 : made;
      device = deviceOfItem(exchanges, item);
      continue;
    }
    let decides = members[from[item]];
    for (let at = from[item]; at < from[item + 1]; at += 1) {
      if (endOf(timeline, blocking, members[at]) >= left[item] - slack) {
        decides = members[at];
        break;
      }
    }
    const other = sender[decides] === item ? receiver[decides] : sender[decides];
    const next = leftAt(item, began[decides]) ? item : leftAt(other, began[decides]) ? other : sender[decides];
    if (first(next)) break;
    item = next - 1;
    device = deviceOfItem(exchanges, item);
  }
  return Int32Array.from(path.reverse());
}

/**
 * Seconds, by route of the plan, that devices wait in a send or a receive once there is something to send. They wait from the end
 * of the operation that made it, or from when the device came to the exchange, to the end of its transfer. Both devices wait, so
 * both are added. Only what lies in the window.
 */
export function blockedByRoute(
  timeline: Timeline,
  blocking: Blocking,
  routes: number,
  window: { readonly from: number; readonly to: number },
): Float64Array {
  const { program, timing } = timeline;
  const { offsets, slot, from, members, need, microbatch } = blocking.exchanges;
  const blocked = new Float64Array(routes);
  for (let device = 0; device < program.devices; device += 1) {
    let before = 0;
    for (let item = offsets[device]; item < offsets[device + 1]; item += 1) {
      const until = blocking.left[item];
      if (slot[item] < 0 && until > window.from && before < window.to) {
        let decides = members[from[item]];
        for (let at = from[item]; at < from[item + 1]; at += 1)
          if (endOf(timeline, blocking, members[at]) > endOf(timeline, blocking, decides)) decides = members[at];
        const route = timing.needRoute[need[decides]];
        const made = timeline.end[timing.needs[need[decides]] * program.microbatches + microbatch[decides]];
        if (route >= 0) blocked[route] += Math.max(0, Math.min(until, window.to) - Math.max(before, made, window.from));
      }
      before = until;
    }
  }
  return blocked;
}

const endOf = (timeline: Timeline, { exchanges }: Blocking, exchange: number): number =>
  arrivalAt(timeline, exchanges.need[exchange], exchanges.microbatch[exchange]);

/** The item that made what an operation had to wait for without an exchange; −1 where it waited for nothing. O(items of its device). */
function itemOfNeed(timeline: Timeline, { exchanges }: Blocking, position: number, slack: number): number {
  const binding = bindingNeed(timeline, position, slack);
  if (binding === undefined) return -1;
  const { program } = timeline;
  const { stages, microbatches, order, placement } = program;
  const [result, microbatch] = [Math.trunc(binding.slot / microbatches), binding.slot % microbatches];
  const device = placement[result % stages];
  for (let item = exchanges.offsets[device]; item < exchanges.offsets[device + 1]; item += 1) {
    for (
      let at = exchanges.slot[item];
      at >= 0 && at < exchanges.slot[item] + slotWidth(program, exchanges.slot[item]);
      at += 1
    ) {
      const row = rowOf(program, order[at]);
      if (resultRowOf(stages, row) === result && microbatchOf(program, order[at]) === microbatch) return item;
    }
  }
  return -1;
}
