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
  /** Width of the notch of a backward, where colours do not say the kind. */
  readonly notch: number;
  /** Pixels of the picture a CSS pixel; 1 where absent. */
  readonly dpr?: number;
  /** First device of each row, then the number of devices. Absent where each device has a row. */
  readonly spans?: Int32Array;
  /** By row, 1: all devices of the row are alike, and the first is drawn for them. */
  readonly folded?: Uint8Array;
}

/** An image that is being drawn: what it shows, in which colours, into which pixels. */
export interface Frame {
  readonly view: FrameView;
  readonly width: number;
  readonly height: number;
  readonly columns: Columns;
  readonly palette: Palette;
  readonly pixels: Uint32Array;
  /** Shares of time in the colours of `palette`, where there are too many blocks to look at each. */
  readonly pyramid?: Pyramid;
}
