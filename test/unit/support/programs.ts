import { letters, type Program, shiftFor } from '../../../engine/values/program.ts';

/** A program from PyTorch's names (`2F0`), one list a device; a pair `['0F1', '0B0']` is fused. */
export function programOf(
  rows: readonly (readonly (string | readonly [string, string])[])[],
  stages: number,
  microbatches: number,
  placement: readonly number[],
): Program {
  const shift = shiftFor(microbatches);
  const order: number[] = [];
  const fused: number[] = [];
  const offsets = [0];
  let split = false;
  const add = (name: string, withNext: number) => {
    const match = /^(\d+)([FBIW])(\d+)$/.exec(name);
    if (match === null) throw new Error(`not an operation: ${name}`);
    const kind = letters.indexOf(match[2] as 'F');
    split ||= kind > 1;
    order.push(((kind * stages + Number(match[1])) << shift) | Number(match[3]));
    fused.push(withNext);
  };
  for (const row of rows) {
    for (const value of row) {
      if (typeof value === 'string') add(value, 0);
      else {
        add(value[0], 1);
        add(value[1], 0);
      }
    }
    offsets.push(order.length);
  }
  return {
    devices: rows.length,
    stages,
    microbatches,
    split,
    placement: Int32Array.from(placement),
    order: Int32Array.from(order),
    offsets: Int32Array.from(offsets),
    shift,
    ...(fused.includes(1) ? { fused: Uint8Array.from(fused) } : {}),
  };
}

/** Rows of 1F1B by its definition (min(m, p − i) forwards, then one backward and one forward in turn). */
export function oneForwardOneBackward(devices: number, microbatches: number): string[][] {
  return Array.from({ length: devices }, (_, device) => {
    const warmup = Math.min(microbatches, devices - device);
    const row = Array.from({ length: warmup }, (_unused, microbatch) => `${device}F${microbatch}`);
    for (let done = 0; done < microbatches; done += 1) {
      row.push(`${device}B${done}`);
      if (warmup + done < microbatches) row.push(`${device}F${warmup + done}`);
    }
    return row;
  });
}

/** A random order that cannot deadlock: operations of a random topological walk, each appended to its device's row. */
export function randomRows(
  devices: number,
  stages: number,
  microbatches: number,
  placement: readonly number[],
  pick: (below: number) => number,
): string[][] {
  const rows: string[][] = Array.from({ length: devices }, () => []);
  const state = Array.from({ length: microbatches }, () => ({
    forward: 0,
    backward: stages - 1,
    weights: [] as number[],
  }));
  for (;;) {
    const ready: (() => void)[] = [];
    state.forEach((one, microbatch) => {
      if (one.forward < stages) {
        ready.push(() => {
          rows[placement[one.forward]].push(`${one.forward}F${microbatch}`);
          one.forward += 1;
        });
      } else if (one.backward >= 0) {
        ready.push(() => {
          const whole = (one.backward + microbatch) % 3 === 0;
          rows[placement[one.backward]].push(`${one.backward}${whole ? 'B' : 'I'}${microbatch}`);
          if (!whole) one.weights.push(one.backward);
          one.backward -= 1;
        });
      }
      one.weights.forEach((stage, index) =>
        ready.push(() => {
          rows[placement[stage]].push(`${stage}W${microbatch}`);
          one.weights.splice(index, 1);
        }),
      );
    });
    if (ready.length === 0) return rows;
    ready[pick(ready.length)]();
  }
}
