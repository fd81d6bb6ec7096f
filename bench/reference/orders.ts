import type { Operation } from './simulate.ts';

/** 1F1B: min(m, p − i) forwards, then one backward and one forward in turn. An array of operations for each device. */
export function oneFOneB(devices: number, microbatches: number): Operation[][] {
  return Array.from({ length: devices }, (_, device) => {
    const order: Operation[] = [];
    const warmup = Math.min(microbatches, devices - device);
    for (let microbatch = 0; microbatch < warmup; microbatch += 1) order.push({ kind: 'F', stage: device, microbatch });
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      order.push({ kind: 'B', stage: device, microbatch });
      if (warmup + microbatch < microbatches) order.push({ kind: 'F', stage: device, microbatch: warmup + microbatch });
    }
    return order;
  });
}

/** ZB-H1 (arXiv:2401.10241): as 1F1B with the backward split; W lags I by the number of the device. */
export function zbH1(devices: number, microbatches: number): Operation[][] {
  return Array.from({ length: devices }, (_, device) => {
    const order: Operation[] = [];
    const warmup = Math.min(microbatches, devices - device);
    let weights = 0;
    for (let microbatch = 0; microbatch < warmup; microbatch += 1) order.push({ kind: 'F', stage: device, microbatch });
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      order.push({ kind: 'I', stage: device, microbatch });
      if (microbatch + 1 - weights > device) order.push({ kind: 'W', stage: device, microbatch: weights++ });
      if (warmup + microbatch < microbatches) order.push({ kind: 'F', stage: device, microbatch: warmup + microbatch });
    }
    while (weights < microbatches) order.push({ kind: 'W', stage: device, microbatch: weights++ });
    return order;
  });
}
