import type { Columns } from '../picture/columns.ts';
import type { Palette } from './palette.ts';
import type { Pyramid } from './pyramid.ts';

/** What part of the timeline a picture shows. Pixels are pixels of the picture. */
export interface FrameView {
  /** Seconds at the left and right edge. */
  readonly t0: number;
  readonly t1: number;
  /** Pixels between the top of row 0 and the top of the picture. */
  readonly top: number;
  readonly rowHeight: number;
  /** Blocks fill this part of a row. */
  readonly bandTop: number;
  readonly bandHeight: number;
  /** Pixels cut from the corners of blocks: 0, 1 or 2. */
  readonly radius: number;
  /** Pixels of the notch that marks a backward where colours do not tell kinds apart. */
  readonly notch: number;
}

/** An image that is being drawn: what it shows, in which colours, into which pixels. */
export interface Frame {
  readonly view: FrameView;
  readonly width: number;
  readonly height: number;
  readonly columns: Columns;
  readonly pyramid: Pyramid;
  readonly palette: Palette;
  readonly pixels: Uint32Array;
}
