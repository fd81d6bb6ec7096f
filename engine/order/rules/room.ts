/**
 * What a rule had room for only once something had left the device: a copy out, what the device kept for another one, or what its
 * operations held. The order of a device does not say when that happens elsewhere. So an operation that needs room waits in the
 * program for the last of each that had ended when the rule started it.
 */
import type { DeclaredWait } from '../../values/program.ts';

/**
 * What makes room on a device: its copies out, copies back to a device that it keeps activations for, and its operations. A copy in
 * does if nobody else waits for what an operation of the schedule holds.
 */
type Leaving = 'out' | 'in' | 'back' | 'operation';

export interface RuleRoom {
  /** What leaves has ended; by who acts, and result row and microbatch of the operation. */
  leaves(leaving: Leaving, device: number, row: number, microbatch: number): void;
  /** An operation of a device starts that needs room on `owner`: the device itself, or who keeps what it sends. */
  starts(device: number, owner: number, row: number, microbatch: number): void;
  /** Who waits for what; `undefined` if nobody does. */
  waits(): ReadonlyMap<number, readonly DeclaredWait[]> | undefined;
}

const leavings: readonly Leaving[] = ['out', 'in', 'back', 'operation'];

/**
 * `senders`: devices that send activations to each device. O(1 + senders) for each operation. Copies of a device end in the order
 * in which they began, and so do its operations: the last one stands for all.
 */
export function ruleRoom(senders: readonly (readonly number[])[], microbatches: number): RuleRoom {
  const lines = leavings.length * senders.length;
  const lineOf = (leaving: Leaving, device: number): number => leavings.length * device + leavings.indexOf(leaving);
  const lastRow = new Int32Array(lines).fill(-1);
  const lastMicrobatch = new Int32Array(lines);
  /** How many have ended, and how many of them a device has waited for, at device × lines + line. */
  const ended = new Int32Array(lines);
  const known = new Map<number, number>();
  const found = new Map<number, Map<string, DeclaredWait>>();
  const wait = (device: number, line: number, row: number, microbatch: number): void => {
    // What comes later on the device waits with the first operation that does.
    if (lastRow[line] < 0 || known.get(device * lines + line) === ended[line]) return;
    known.set(device * lines + line, ended[line]);
    const [whom, shift] = [lastRow[line], lastMicrobatch[line] - microbatch];
    const ofRow = found.get(row) ?? new Map<string, DeclaredWait>();
    found.set(row, ofRow);
    const key = `${whom} ${shift}`;
    const group = ofRow.get(key) ?? { whom, shift, only: new Uint8Array(microbatches), bytes: 0 };
    ofRow.set(key, group);
    group.only[microbatch] = 1;
  };
  return {
    leaves(leaving, device, row, microbatch) {
      const line = lineOf(leaving, device);
      lastRow[line] = row;
      lastMicrobatch[line] = microbatch;
      ended[line] += 1;
    },
    starts(device, owner, row, microbatch) {
      wait(device, lineOf('out', owner), row, microbatch);
      wait(device, lineOf('in', owner), row, microbatch);
      for (const sender of senders[owner]) wait(device, lineOf('back', sender), row, microbatch);
      if (device !== owner) wait(device, lineOf('operation', owner), row, microbatch);
    },
    waits: () => (found.size === 0 ? undefined : new Map([...found].map(([row, ofRow]) => [row, [...ofRow.values()]]))),
  };
}
