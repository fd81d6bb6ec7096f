import { scaleLinear } from 'd3-scale';
import type { Band } from '../scene/layout.ts';

/** The axis of the memory chart: from 0 to the limit. Pixels of the timeline area. */
export interface MemoryAxis {
  /** Place of a level in bytes. */
  y(level: number): number;
  readonly bottom: number;
  /** From here down to `limit` is what no device has. */
  readonly top: number;
  readonly limit: number;
  /** Between the levels and the limit, where most of the axis is left out: the place of its two strokes. */
  readonly cut: number | undefined;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly unit: 'GiB' | 'MiB' | 'KiB' | 'B';
}

/** Under this part of the limit a peak would leave most of the chart empty. */
const cutUnder = 0.6;
const tickDistance = 34;
const mostTicks = 6;
/** Room for a name over the highest level. */
const headroom = 1.05;
const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** `peak`: the highest level of all. The axis is the same for peaks that are alike, so that it rests while params are turned. */
export function memoryAxis(peak: number, capacity: number, panel: Band): MemoryAxis {
  const low = panel.height < 120;
  const top = panel.y + 4;
  const bottom = panel.y + panel.height - 10;
  const isCut = peak < cutUnder * capacity;
  const unit = unitOf(peak);
  const scale = units[unit];
  const highest = isCut ? roundUp((peak / scale) * headroom) * scale : Math.max(capacity, peak, 1);
  const band = low ? 12 : 15;
  const limitOver = top + band;
  const cut = isCut ? limitOver + (low ? 6 : 12) : undefined;
  const chart = cut === undefined ? limitOver : cut + (low ? 6 : 12);
  const y = (level: number) => bottom - (level / highest) * (bottom - chart);
  const wanted = Math.max(
    bottom - chart < 44 ? 1 : 2,
    Math.min(mostTicks, Math.floor((bottom - chart) / tickDistance)),
  );
  return {
    y,
    bottom,
    top,
    limit: isCut ? limitOver : y(capacity),
    cut,
    // Nothing has a scale.
    ticks:
      peak === 0
        ? [{ at: bottom, text: '0' }]
        : scaleLinear()
            .domain([0, highest / scale])
            .ticks(wanted)
            .map((tick) => ({ at: y(tick * scale), text: String(tick) })),
    unit,
  };
}

/** An axis without a limit, from 0 to a round figure over the highest level. */
export function levelAxis(peak: number, panel: Band): Pick<MemoryAxis, 'y' | 'bottom' | 'ticks' | 'unit' | 'cut'> {
  // A name has room over the highest level.
  const [top, bottom] = [panel.y + (panel.height < 52 ? 8 : 18), panel.y + panel.height - 8];
  const unit = unitOf(peak);
  const scale = units[unit];
  const highest = roundUp((peak / scale) * headroom) * scale;
  const y = (level: number) => bottom - (level / highest) * (bottom - top);
  const ticks = scaleLinear()
    .domain([0, highest / scale])
    .ticks(bottom - top < 44 ? 1 : 2)
    .map((tick) => ({ at: y(tick * scale), text: String(tick) }));
  return { y, bottom, ticks, unit, cut: undefined };
}

const units = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 } as const;
// Equal stages hold single bytes.
const unitOf = (peak: number): MemoryAxis['unit'] =>
  peak >= units.GiB ? 'GiB' : peak >= units.MiB ? 'MiB' : peak >= units.KiB ? 'KiB' : 'B';

/** The next round figure. Each is at most half as much again as the one before. */
function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (steps.find((step) => step * power >= value) ?? 10) * power;
}
