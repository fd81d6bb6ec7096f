import { timeChange } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import type { StripImage } from '../../session/racing.ts';
import type { Standing } from '../../session/standings.ts';
import { ticks } from '../paint/ruler.ts';
import { css, font, type Theme } from '../scene/theme.ts';

/** The axis that all strips share. */
export interface RaceAxis {
  /** Seconds of the longest timeline. */
  readonly longest: number;
  readonly align: 'start' | 'end';
  /** Seconds of the baseline's timeline; undefined while it runs. */
  readonly baseline: number | undefined;
  /** Under the pointer, in seconds from the left edge; undefined elsewhere. */
  readonly cursor: number | undefined;
}

const pixelsOfDevice = 7;
const height = { least: 40, most: 84 };
/** CSS pixels of a strip: seven for each device, up to twelve devices; more for a few. */
export const stripHeight = (rows: number): number =>
  Math.max(height.least, Math.min(height.most, rows * pixelsOfDevice));

/** Seconds at the left edge of a strip. */
export const stripStart = (makespan: number, { longest, align }: RaceAxis): number =>
  align === 'start' ? 0 : makespan - longest;

/**
 * Whether the ends of a timeline and of the baseline are as far apart as their iterations differ (seconds). Of iterations that follow
 * without a flush several are drawn, so that the end of the drawing is no iteration's.
 */
export const lieApart = (
  makespan: number,
  { baseline, longest }: Pick<RaceAxis, 'baseline' | 'longest'>,
  seconds: number | undefined,
): seconds is number =>
  baseline !== undefined && seconds !== undefined && Math.abs(makespan - baseline - seconds) <= 1e-6 * longest;

/** The drawn timeline of one row, with its end, its distance to the baseline and where it runs out of memory. */
export function raceStrip() {
  const canvas = element('canvas', { role: 'img' });
  let image: ImageData | undefined;

  return {
    element: canvas,
    image(next: StripImage): void {
      image = new ImageData(new Uint8ClampedArray(next.buffer), next.width, next.height);
    },
    /** `outlined`: a device that is behind the difference. */
    paint(
      standing: Standing,
      axis: RaceAxis,
      theme: Theme,
      size: { width: number; height: number },
      outlined?: number,
    ): void {
      const dpr = devicePixelRatio;
      const [width, tall] = [Math.round(size.width * dpr), Math.round(size.height * dpr)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== tall) canvas.height = tall;
      canvas.style.width = `${size.width}px`;
      canvas.style.height = `${size.height}px`;
      const ink = canvas.getContext('2d');
      if (ink === null) return;
      ink.setTransform(1, 0, 0, 1, 0, 0);
      ink.clearRect(0, 0, width, tall);
      const { figures, deltas } = standing;
      if (figures === undefined) return;
      const from = stripStart(figures.makespan, axis);
      const x = (at: number) => ((at - from) / axis.longest) * (size.width - 2) + 1;
      // Outside the timeline the row's own ground shows.
      const [left, right] = [Math.floor(x(0) * dpr), Math.ceil(x(figures.makespan) * dpr)];
      if (image !== undefined && image.width === width && image.height === tall)
        ink.putImageData(image, 0, 0, left, 0, right - left, tall);
      ink.setTransform(dpr, 0, 0, dpr, 0, 0);
      const line = (at: number, colour: string, dash: number[], thickness = 1.5) => {
        ink.strokeStyle = colour;
        ink.lineWidth = thickness;
        ink.setLineDash(dash);
        ink.beginPath();
        ink.moveTo(x(at), 0);
        ink.lineTo(x(at), size.height);
        ink.stroke();
        ink.setLineDash([]);
      };
      const error = css(theme.error);
      if (!figures.fits) {
        ink.strokeStyle = error;
        ink.lineWidth = 1.5;
        ink.setLineDash([4, 3]);
        ink.strokeRect(x(0) + 0.5, 1, Math.max(2, x(figures.makespan) - x(0) - 1), size.height - 2);
        ink.setLineDash([]);
      }
      if (outlined !== undefined && outlined < figures.rows) outline(outlined, size.height / figures.rows);
      line(figures.makespan, figures.fits ? css(theme.foreground) : error, []);
      if (axis.baseline !== undefined && axis.align === 'start' && lieApart(figures.makespan, axis, deltas?.seconds)) {
        line(axis.baseline, css(theme.dim), [2, 3], 1);
        difference(x(figures.makespan), x(axis.baseline), deltas.seconds);
      }
      if (figures.overAt !== undefined) mark(x(figures.overAt));
      if (axis.cursor !== undefined) line(from + axis.cursor, css(theme.dim), [2, 2], 1);

      /** An arrow from an end to the baseline's, with what lies between. */
      function difference(end: number, base: number, seconds: number): void {
        if (ink === null) return;
        const text = timeChange(seconds);
        ink.font = font(theme, 10, 600);
        const wide = ink.measureText(text).width + 8;
        if (Math.abs(base - end) < wide + 12) return;
        const y = size.height / 2;
        const [left, right] = [Math.min(end, base), Math.max(end, base)];
        const middle = (left + right) / 2;
        ink.strokeStyle = css(theme.dim);
        ink.lineWidth = 1;
        ink.beginPath();
        ink.moveTo(left + 3, y);
        ink.lineTo(middle - wide / 2, y);
        ink.moveTo(middle + wide / 2, y);
        ink.lineTo(right - 3, y);
        for (const [tip, way] of [
          [left + 3, 1],
          [right - 3, -1],
        ]) {
          ink.moveTo(tip + 4 * way, y - 3);
          ink.lineTo(tip, y);
          ink.lineTo(tip + 4 * way, y + 3);
        }
        ink.stroke();
        ink.clearRect(middle - wide / 2, y - 7, wide, 14);
        ink.fillStyle = css(theme.foreground);
        ink.textAlign = 'center';
        ink.textBaseline = 'middle';
        ink.fillText(text, middle, y + 0.5);
      }

      function outline(device: number, tall: number): void {
        if (ink === null || figures === undefined) return;
        const [left, right] = [x(0), x(figures.makespan)];
        ink.strokeStyle = css(theme.warning);
        ink.lineWidth = 2;
        ink.strokeRect(left, device * tall, right - left, tall);
      }

      function mark(at: number): void {
        if (ink === null) return;
        const [cx, cy] = [Math.max(7, Math.min(size.width - 7, at)), Math.min(size.height / 2, 12)];
        ink.fillStyle = error;
        ink.beginPath();
        ink.arc(cx, cy, 6, 0, 2 * Math.PI);
        ink.fill();
        ink.fillStyle = css(theme.background);
        ink.font = font(theme, 10, 700);
        ink.textAlign = 'center';
        ink.textBaseline = 'middle';
        ink.fillText('!', cx, cy + 0.5);
      }
    },
  };
}

/** The times of the axis. */
export function raceRuler() {
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  return {
    element: canvas,
    paint({ longest, align }: RaceAxis, theme: Theme, width: number): void {
      const dpr = devicePixelRatio;
      const tall = 20;
      canvas.width = Math.round(width * dpr);
      canvas.height = Math.round(tall * dpr);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${tall}px`;
      const ink = canvas.getContext('2d');
      if (ink === null || longest <= 0) return;
      ink.setTransform(dpr, 0, 0, dpr, 0, 0);
      ink.font = font(theme, 11);
      ink.fillStyle = css(theme.dim);
      ink.textBaseline = 'middle';
      // Aligned at the end, times count back from there.
      const range = align === 'start' ? ([0, longest] as const) : ([-longest, 0] as const);
      for (const { at, text } of ticks(range[0], range[1], width)) {
        const half = ink.measureText(text).width / 2;
        const x = ((at - range[0]) / longest) * (width - 2) + 1;
        ink.textAlign = 'center';
        ink.fillText(text, Math.max(half, Math.min(width - half, x)), tall / 2);
      }
    },
  };
}
