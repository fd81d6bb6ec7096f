/** Marks of points as pixels. Their cost follows the pixels that they cover: 100,000 points take some milliseconds. */

export const shapes = ['circle', 'square', 'triangle', 'diamond', 'wedge', 'cross'] as const;
export type Shape = (typeof shapes)[number];

/** Whether a place in a square from −1 to 1 is inside a shape; all look equally large. */
const inside: Readonly<Record<Shape, (x: number, y: number) => boolean>> = {
  circle: (x, y) => x * x + y * y <= 0.9,
  square: (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.82,
  triangle: (x, y) => y <= 0.82 && y >= -0.98 && Math.abs(x) <= ((y + 0.98) / 1.8) * 1.05,
  diamond: (x, y) => Math.abs(x) + Math.abs(y) <= 1.05,
  wedge: (x, y) => y >= -0.82 && y <= 0.98 && Math.abs(x) <= ((0.98 - y) / 1.8) * 1.05,
  cross: (x, y) => Math.min(Math.abs(x), Math.abs(y)) <= 0.34 && Math.max(Math.abs(x), Math.abs(y)) <= 0.98,
};

/** Corners of a shape in the same square; undefined for the circle, which has none. */
export function cornersOf(shape: Shape): readonly (readonly [x: number, y: number])[] | undefined {
  switch (shape) {
    case 'circle':
      return undefined;
    case 'square':
      return [[-0.82, -0.82], [0.82, -0.82], [0.82, 0.82], [-0.82, 0.82]]; // prettier-ignore
    case 'triangle':
      return [[0, -0.98], [1.05, 0.82], [-1.05, 0.82]]; // prettier-ignore
    case 'diamond':
      return [[0, -1.05], [1.05, 0], [0, 1.05], [-1.05, 0]]; // prettier-ignore
    case 'wedge':
      return [[0, 0.98], [1.05, -0.82], [-1.05, -0.82]]; // prettier-ignore
    case 'cross': {
      const [a, b] = [0.34, 0.98];
      return [[-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]]; // prettier-ignore
    }
  }
}

/** Share of each pixel of a square that a shape covers, 0 to 255. */
export interface Mask {
  readonly size: number;
  readonly cover: Uint8Array;
}

const samples = 4;

export function maskOf(shape: Shape, size: number): Mask {
  const cover = new Uint8Array(size * size);
  const half = size / 2;
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      let hit = 0;
      for (let sample = 0; sample < samples * samples; sample += 1) {
        const across = x + ((sample % samples) + 0.5) / samples;
        const down = y + (Math.floor(sample / samples) + 0.5) / samples;
        if (inside[shape]((across - half) / half, (down - half) / half)) hit += 1;
      }
      cover[y * size + x] = Math.round((hit / (samples * samples)) * 255);
    }
  return { size, cover };
}

/** Points in device pixels, with numbers of their shapes and of their colours. */
export interface Marks {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly shape: Uint8Array;
  readonly colour: Uint8Array;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8ClampedArray;
}

/** Draws points over what is there. A mark over one of the same look at the same pixel is left out. `colours`: red, green, blue. */
export function drawMarks(
  { width, height, data }: Frame,
  { x, y, shape, colour }: Marks,
  masks: readonly Mask[],
  colours: readonly (readonly [number, number, number])[],
): void {
  /** Look of the last mark that began at a pixel. */
  const last = new Uint16Array(width * height);
  for (let index = 0; index < x.length; index += 1) {
    const { size, cover } = masks[shape[index]];
    const left = Math.round(x[index] - size / 2);
    const top = Math.round(y[index] - size / 2);
    if (left >= width || top >= height || left + size <= 0 || top + size <= 0) continue;
    if (left >= 0 && top >= 0) {
      const look = shape[index] * 256 + colour[index] + 1;
      if (last[top * width + left] === look) continue;
      last[top * width + left] = look;
    }
    const [red, green, blue] = colours[colour[index]];
    const [firstColumn, lastColumn] = [Math.max(0, -left), Math.min(size, width - left)];
    for (let row = Math.max(0, -top); row < Math.min(size, height - top); row += 1)
      for (let column = firstColumn; column < lastColumn; column += 1) {
        const covered = cover[row * size + column];
        if (covered === 0) continue;
        const at = ((top + row) * width + left + column) * 4;
        const before = data[at + 3];
        if (covered === 255 || before === 0) {
          data[at] = red;
          data[at + 1] = green;
          data[at + 2] = blue;
          data[at + 3] = covered;
          continue;
        }
        // Over what is there: its part is what the mark leaves of it.
        const under = (before * (255 - covered)) / 255;
        const both = covered + under;
        data[at] = (red * covered + data[at] * under) / both;
        data[at + 1] = (green * covered + data[at + 1] * under) / both;
        data[at + 2] = (blue * covered + data[at + 2] * under) / both;
        data[at + 3] = both;
      }
  }
}
