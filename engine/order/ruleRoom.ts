/**
 * What a rule had room for only once a copy out had ended. The order of a device does not say when copies end. So an operation
 * whose condition reads `bytes` waits in the program for the last copy that had ended when the rule started it.
 */
import type { DeclaredWait } from '../program.ts';

export interface RuleRoom {
  /** A copy out of a device has ended; by result row and microbatch of its E. */
  leaves(device: number, row: number, microbatch: number): void;
  /** An operation of a device starts that needs room. */
  starts(device: number, row: number, microbatch: number): void;
  /** Who waits for which copies; `undefined` if nobody does. */
  waits(): ReadonlyMap<number, readonly DeclaredWait[]> | undefined;
}

/** O(1) for each operation. Copies of a device end in the order in which they began, so the last one stands for all. */
export function ruleRoom(devices: number, microbatches: number): RuleRoom {
  const lastRow = new Int32Array(devices).fill(-1);
  const lastMicrobatch = new Int32Array(devices);
  const known = new Uint8Array(devices);
  const found = new Map<number, Map<string, DeclaredWait>>();
  return {
    leaves(device, row, microbatch) {
      lastRow[device] = row;
      lastMicrobatch[device] = microbatch;
      known[device] = 0;
    },
    starts(device, row, microbatch) {
      // What comes later on the device waits with the first operation that does.
      if (lastRow[device] < 0 || known[device] === 1) return;
      known[device] = 1;
      const [whom, shift] = [lastRow[device], lastMicrobatch[device] - microbatch];
      const ofRow = found.get(row) ?? new Map<string, DeclaredWait>();
      found.set(row, ofRow);
      const key = `${whom} ${shift}`;
      const wait = ofRow.get(key) ?? { whom, shift, only: new Uint8Array(microbatches), bytes: 0 };
      ofRow.set(key, wait);
      wait.only[microbatch] = 1;
    },
    waits: () => (found.size === 0 ? undefined : new Map([...found].map(([row, ofRow]) => [row, [...ofRow.values()]]))),
  };
}
