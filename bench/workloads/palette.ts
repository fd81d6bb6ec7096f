import { paletteColours, type Palette } from '../../webview/worker/palette.ts';

/** Colours do not change the work of drawing; these are merely distinct. */
export const benchPalette: Palette = {
  background: 0xff1f1f1f,
  colours: Uint32Array.from({ length: paletteColours }, (_, index) => 0xff000000 | (index * 0x050301)),
  colourBy: 'operation',
  chunk: new Uint8Array(0),
  border: 0,
};
