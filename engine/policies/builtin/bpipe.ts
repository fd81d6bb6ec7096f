import { idleLine, perDevice } from '../describe.ts';
import { linear } from '../placement.ts';
import type { OperationSink, Policy, Shape } from '../policy.ts';

/** Most activations that a device holds, its own and other devices' together. */
const mostOf = ({ devices }: Shape): number => Math.ceil((devices + 2) / 2);

/** Forwards before the first backward, which are also the microbatches in flight of 1F1B. */
const warmupOf = ({ devices, microbatches }: Shape, device: number): number => Math.min(microbatches, devices - device);

/**
 * Kim et al., "BPipe: Memory-Balanced Pipeline Parallelism for Training Large Language Models" (ICML 2023). Device x of
 * the first half and device p − 1 − x hold p + 1 activations between them under 1F1B, whatever x is; so each pair shares them.
 */
export const bpipe: Policy = {
  name: 'bpipe',
  summary:
    '1F1B whose first devices keep some of their activations on the last ones. Balances memory, at the cost of two transfers for each activation that moves.',
  page: 'bpipe',
  parameters: [],
  split: false,
  operations: 4,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  partners: (shape) =>
    Int32Array.from({ length: shape.devices }, (_, device) =>
      warmupOf(shape, device) > mostOf(shape) ? shape.devices - 1 - device : -1,
    ),
  check: () => [],
  order: evictingOrder,
  explain(shape) {
    const most = mostOf(shape);
    const moved = (device: number): number => Math.max(0, warmupOf(shape, device) - most);
    return [
      `warm-up: min(m, p − i) = ${perDevice(shape, (device) => warmupOf(shape, device))} forwards`,
      `in flight: at most ⌈(p + 2) / 2⌉ = ${most} on every device, including activations kept for its partner`,
      `kept by device p − 1 − i: up to w − ⌈(p + 2) / 2⌉ + 1 at a time, if the warm-up w is above ${most}: ${perDevice(shape, (device) => (moved(device) > 0 ? moved(device) + 1 : 0))}`,
      idleLine(shape, '(p − 1)(F + B)', ({ f, i, w }) => (shape.devices - 1) * (f + i + w)),
    ];
  },
};

/**
 * 1F1B, with the newest activation evicted before the device would hold more than its share, counted with activations that are
 * still in transfer. Each evicted activation is called back one backward early. So a transfer out hides behind a forward or a
 * backward, and a transfer back behind a forward. Once no forward follows, it is called back as early as there is room.
 */
function evictingOrder(shape: Shape, device: number, out: OperationSink): void {
  const { microbatches } = shape;
  const warmup = warmupOf(shape, device);
  const most = mostOf(shape);
  const away = new Uint8Array(microbatches);
  let held = 0;
  // Those before it are at home.
  let next = 0;
  const run = (forward: number): void => {
    out.forward(device, forward);
    held += 1;
  };
  const evict = (microbatch: number): void => {
    out.evict(device, microbatch);
    away[microbatch] = 1;
    held -= 1;
  };
  const callBack = (to: number, room: number): void => {
    for (; next < to && (away[next] === 0 || held < room); next += 1) {
      if (away[next] === 0) continue;
      out.load(device, next);
      held += 1;
    }
  };
  for (let forward = 0; forward < warmup; forward += 1) {
    run(forward);
    // Beside the next forward, this one is still on its way.
    if (warmup > most && forward + 1 < warmup && held === most - 1) evict(forward);
  }
  for (let backward = 0; backward < microbatches; backward += 1) {
    const newest = backward + warmup - 1;
    const follows = newest + 1 < microbatches;
    const calls = backward + 1 < microbatches && backward + 1 >= next && away[backward + 1] === 1;
    // After the backward come the one that is called back and the next forward.
    if (follows && held - 1 + Number(calls) + 1 > most) evict(newest);
    out.backward(device, backward);
    held -= 1;
    if (follows) callBack(Math.min(microbatches, backward + 2), most);
    else callBack(microbatches, most);
    if (follows) run(newest + 1);
  }
}
