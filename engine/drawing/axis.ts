/** A scale of time under a figure. */

export interface Axis {
  /** `time (ms)`. */
  readonly title: string;
  /** Seconds and what is written there. */
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

const units = [
  { from: 10, scale: 1, name: 's' },
  { from: 1e-4, scale: 1e3, name: 'ms' },
  { from: 1e-7, scale: 1e6, name: 'µs' },
  { from: 0, scale: 1e9, name: 'ns' },
];

/** From 0 to `seconds`, at most `most` steps of 1, 2 or 5 times a power of ten. Milliseconds where the figures are legible so. */
export function timeAxis(seconds: number, most: number): Axis {
  const unit = units.find(({ from }) => seconds >= from) ?? units[1];
  const title = `time (${unit?.name ?? 'ms'})`;
  if (unit === undefined || !(seconds > 0)) return { title, ticks: [{ at: 0, text: '0' }] };
  const length = seconds * unit.scale;
  const rough = length / Math.max(1, most);
  const power = Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((step) => step * 10 ** power >= rough * (1 - 1e-9)) ?? 10;
  const digits = Math.max(0, -(power + (factor === 10 ? 1 : 0)));
  const step = factor * 10 ** power;
  const count = Math.floor(length / step + 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => ({
    at: (index * step) / unit.scale,
    text: (index * step).toFixed(digits),
  }));
  return { title, ticks };
}
