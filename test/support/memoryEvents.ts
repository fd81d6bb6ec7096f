/** An allocation: bytes that it adds, bytes that are then there, and the device: 0 is the host, 1 a GPU. */
type MemoryEvent = readonly [change: number, total: number, device: number];

const written = ([change, total, device]: MemoryEvent): string =>
  `{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1, "args": {"Total Allocated": ${total}, "Bytes": ${change}, "Device Id": ${device - 1}, "Device Type": ${device}}},`;

/** A trace with events as the profiler writes them with `profile_memory=True`. */
export const withMemory = (trace: string, events: readonly MemoryEvent[]): string =>
  trace.replace(/"traceEvents":\s*\[/, (head) => head + events.map(written).join(''));
