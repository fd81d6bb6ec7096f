import { expect, test } from 'vitest';
import { ruleRoom } from '../../../engine/order/rules/room.ts';
import * as fc from '../../support/property.ts';

const microbatches = 4;
const rows = 5;
/** Devices 1 and 2 send to device 0, device 0 sends to device 2, and nobody to device 1. */
const senders = [[1, 2], [], [0]];

interface Operation {
  readonly row: number;
  readonly microbatch: number;
}
type Event = Operation &
  (
    | { readonly kind: 'leaves'; readonly leaving: 'out' | 'in' | 'back' | 'operation'; readonly device: number }
    | { readonly kind: 'starts'; readonly device: number; readonly owner: number }
  );

const device = fc.nat(senders.length - 1);
const operation = { row: fc.nat(rows - 1), microbatch: fc.nat(microbatches - 1) };
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant('leaves' as const),
    leaving: fc.constantFrom('out', 'in', 'back', 'operation'),
    device,
    ...operation,
  }),
  fc.record({ kind: fc.constant('starts' as const), device, owner: device, ...operation }),
);

/** Who waits for whom, as the engine says. */
function found(events: readonly Event[]): readonly string[] | undefined {
  const room = ruleRoom(senders, microbatches);
  for (const each of events)
    if (each.kind === 'leaves') room.leaves(each.leaving, each.device, each.row, each.microbatch);
    else room.starts(each.device, each.owner, each.row, each.microbatch);
  const waits = room.waits();
  return (
    waits &&
    [...waits].flatMap(([row, ofRow]) =>
      ofRow.flatMap(({ whom, shift, only, bytes }) => {
        expect(bytes).toBe(0);
        expect(only).toHaveLength(microbatches);
        return Array.from(only ?? []).flatMap((waiting, microbatch) =>
          waiting === 0 ? [] : `${row}/${microbatch} waits for ${whom}/${microbatch + shift}`,
        );
      }),
    )
  );
}

/** The same from the whole list of what has left, looked through at each start. */
function expected(events: readonly Event[]): readonly string[] {
  const waits = new Set<string>();
  for (const [now, start] of events.entries()) {
    if (start.kind !== 'starts') continue;
    const { owner } = start;
    const lines = [
      ['out', owner],
      ['in', owner],
      ...senders[owner].map((sender) => ['back', sender]),
      ...(start.device === owner ? [] : [['operation', owner]]),
    ];
    for (const [leaving, from] of lines) {
      const isOfLine = (each: Event) => each.kind === 'leaves' && each.leaving === leaving && each.device === from;
      const last = events.slice(0, now).findLastIndex(isOfLine);
      if (last < 0) continue;
      // An earlier operation of the device that asked for it waits already, and this one comes behind it.
      const asked = events.slice(last, now).some((each) => {
        if (each.kind !== 'starts' || each.device !== start.device) return false;
        return leaving === 'back'
          ? senders[each.owner].some((sender) => sender === from)
          : each.owner === from && (leaving !== 'operation' || each.device !== each.owner);
      });
      if (!asked)
        waits.add(`${start.row}/${start.microbatch} waits for ${events[last].row}/${events[last].microbatch}`);
    }
  }
  return [...waits];
}

test('an operation that needs room waits for the last of each that had left', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const wanted = expected(events);
      expect(found(events)?.toSorted()).toEqual(wanted.length === 0 ? undefined : wanted.toSorted());
    }),
    { numRuns: 1000 },
  );
});
