import type { Columns } from '../picture/columns.ts';
import type { FrameView } from './frame.ts';
import type { Palette } from './palette.ts';
import type { Pyramid } from './pyramid.ts';

/** All that an image depends on. */
export interface ImageOf {
  readonly view: FrameView;
  readonly width: number;
  readonly height: number;
  readonly columns: Columns;
  readonly pyramid: Pyramid | undefined;
  readonly palette: Palette;
}

/** Keeps the last image: the overview stays as it is while the rest of the picture moves, and costs as much to draw. */
export function keptImage() {
  let last: { readonly of: ImageOf; readonly pixels: Uint32Array } | undefined;
  return (of: ImageOf, buffer: Uint32Array | undefined, draw: () => Uint32Array): Uint32Array => {
    if (last === undefined || !sameImage(last.of, of)) {
      const pixels = draw();
      // The image itself goes to the page.
      last = { of, pixels: pixels.slice() };
      return pixels;
    }
    if (buffer === undefined) return last.pixels.slice();
    buffer.set(last.pixels);
    return buffer;
  };
}

const sameImage = (a: ImageOf, b: ImageOf): boolean =>
  a.width === b.width &&
  a.height === b.height &&
  a.columns === b.columns &&
  a.pyramid === b.pyramid &&
  a.palette === b.palette &&
  sameView(a.view, b.view);

function sameView(a: FrameView, b: FrameView): boolean {
  const { spans, folded, ...numbers } = a;
  const { spans: otherSpans, folded: otherFolded, ...otherNumbers } = b;
  return (
    JSON.stringify(numbers) === JSON.stringify(otherNumbers) &&
    sameList(spans, otherSpans) &&
    sameList(folded, otherFolded)
  );
}

const sameList = (a: Int32Array | Uint8Array | undefined, b: Int32Array | Uint8Array | undefined): boolean =>
  a === b || (a?.length === b?.length && a !== undefined && a.every((value, at) => value === b?.[at]));
