/** An event of "Trace Event Format", which chrome://tracing, ui.perfetto.dev and PyTorch's profiler write and read. */
export type TraceEvent = Readonly<Record<string, unknown>>;

/** Microseconds at a nanosecond: what viewers keep. */
export const micros = (seconds: number): number => Math.round(seconds * 1e9) / 1e3;

/** Thread of what a device computes. */
export const computeThread = 1;
