/** The walk back where sends and receives block their devices: from an exchange to the device that came to it last. */
import { deviceOfItem } from '../../order/exchanges.ts';
import { slotWidth } from '../../order/slot.ts';
import { type Blocking, type Exchanges, arrivalAt, occupancyOf, startAt } from '../../values/timeline.ts';
import type { ChainStop, TransferCause } from './chainTypes.ts';
import { transferTo, visit, type Walk } from './walk.ts';

/**
 * What decides when `device` starts the operation at `position`, or its step at the end where that is −1. An exchange begins when
 * both devices have come to it and its channel is free. The chain goes to whichever of the three was last. It stays on its device
 * if both came at once.
 */
export function blockedFrom(walk: Walk, blocking: Blocking, device: number, position: number): ChainStop {
  const { timeline, slack, causes } = walk;
  const { exchanges, left, began } = blocking;
  const { offsets, slot, from, members, sender, receiver } = exchanges;
  const isFirst = (item: number): boolean => item === offsets[deviceOfItem(exchanges, item)];
  const leftAt = (item: number, time: number): boolean => !isFirst(item) && Math.abs(left[item - 1] - time) <= slack;
  const endOf = (exchange: number): number =>
    arrivalAt(timeline, exchanges.need[exchange], exchanges.microbatch[exchange]);
  const occupancy = (exchange: number): number =>
    occupancyOf(
      timeline.timing,
      timeline.program.microbatches,
      exchanges.need[exchange],
      exchanges.microbatch[exchange],
    );
  const freeAt = (exchange: number): number => began[exchange] + occupancy(exchange);
  const push = (exchange: number, to: number, ahead: boolean): void => {
    causes.push(exchangeCause(walk, blocking, exchange, to, ahead));
  };
  /** The exchange that held the channel until another one began. */
  const holder = (exchange: number): number => {
    const { needChannel } = timeline.timing;
    const channel = needChannel[exchanges.need[exchange]];
    return began.findIndex(
      (begins, other) =>
        other !== exchange &&
        channel >= 0 &&
        needChannel[exchanges.need[other]] === channel &&
        begins < began[exchange] - slack &&
        Math.abs(freeAt(other) - began[exchange]) <= slack,
    );
  };

  // The step comes after the last item, as an operation comes after the item before its slot.
  let atEnd = position < 0;
  let item = atEnd ? offsets[device + 1] : itemAt(exchanges, device, position);
  let time = atEnd ? left[item - 1] : startAt(timeline, position);
  for (;;) {
    if (time <= slack) return 'start';
    if (!atEnd && !leftAt(item, time)) {
      // Only an operation can start later than its device left the item before: it waited for gradients of another copy.
      const at = slot[item];
      const made = at < 0 ? -1 : transferTo(walk, at, at + slotWidth(timeline.program, at) - 1, time, false);
      if (made < 0) return 'unknown';
      if (visit(walk, made, false)) return 'device';
      item = itemAt(exchanges, deviceOf(walk, made), made);
      time = startAt(timeline, made);
      continue;
    }
    atEnd = false;
    item -= 1;
    if (slot[item] >= 0) {
      const last = slot[item] + slotWidth(timeline.program, slot[item]) - 1;
      if (visit(walk, last, false)) return 'device';
      time = startAt(timeline, last);
      continue;
    }
    let decides = members[from[item]];
    for (let at = from[item]; at < from[item + 1]; at += 1)
      if (endOf(members[at]) > endOf(decides)) decides = members[at];
    push(decides, left[item], false);
    for (;;) {
      time = began[decides];
      const other = sender[decides] === item ? receiver[decides] : sender[decides];
      const next = leftAt(item, time) ? item : leftAt(other, time) ? other : -1;
      if (next >= 0 || time <= slack) {
        item = next < 0 ? item : next;
        break;
      }
      const ahead = holder(decides);
      if (ahead < 0) return 'unknown';
      push(ahead, time, true);
      decides = ahead;
      item = sender[ahead];
    }
  }
}

function exchangeCause(
  { timeline, slack }: Walk,
  { exchanges, began }: Blocking,
  exchange: number,
  to: number,
  ahead: boolean,
): TransferCause {
  const need = exchanges.need[exchange];
  const held = to - began[exchange];
  const microbatch = exchanges.microbatch[exchange];
  const { program, timing } = timeline;
  const alone = occupancyOf(timing, program.microbatches, need, microbatch) + (ahead ? 0 : timing.needLatency[need]);
  return {
    kind: 'transfer',
    position: exchanges.madeAt[exchange],
    need,
    microbatch,
    sender: deviceOfItem(exchanges, exchanges.sender[exchange]),
    receiver: deviceOfItem(exchanges, exchanges.receiver[exchange]),
    queued: 0,
    slowed: held - alone > slack ? held - alone : 0,
    from: began[exchange],
    to,
    tied: false,
    ahead,
    blocks: true,
  };
}

const deviceOf = ({ timeline: { program } }: Walk, position: number): number => {
  let device = 0;
  while (program.offsets[device + 1] <= position) device += 1;
  return device;
};

/** The item of a device whose slot holds a position. Items are in the order of their positions. */
function itemAt({ offsets, slot }: Exchanges, device: number, position: number): number {
  let found = offsets[device];
  for (let item = offsets[device]; item < offsets[device + 1]; item += 1)
    if (slot[item] >= 0 && slot[item] <= position) found = item;
  return found;
}
