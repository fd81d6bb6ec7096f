/**
 * Two ranks that exchange three layers of 1 ms forward and 1 ms backward. A tensor takes its bytes / 10 GB/s: 1, 1 and 4 ms. `keys`: the
 * rule of exchange.
 */
export const toyExchange = (keys: string, pipeline = 'train'): string => `
model toy {
  layer front { forward = 1ms  backward = 1ms  weights = 10MB }
  layer mid   { forward = 1ms  backward = 1ms  weights = 10MB }
  layer back  { forward = 1ms  backward = 1ms  weights = 40MB }
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline ${pipeline} {
  model = toy  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  ${keys}
}
`;

/** What the next forward needs first goes first, in pieces; each call takes 0.2 ms. */
export const frontFirst = 'sync = bytescheduler(partition = 10MB, credit = 10MB)  collective = ring(call = 0.2ms)';
