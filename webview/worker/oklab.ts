/**
 * Colours as cube roots of cone responses, red to blue: the space before OKLab's last matrix (Ottosson 2020). That matrix is
 * linear, so a mixture in this space is the mixture in OKLab, and it costs one matrix less.
 */

/** Of an ABGR word, into `out` from `at` on. */
export function cones(word: number, out: Float32Array | Float64Array, at: number): void {
  const red = linear(word & 255);
  const green = linear((word >> 8) & 255);
  const blue = linear((word >> 16) & 255);
  out[at] = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  out[at + 1] = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  out[at + 2] = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
}

/** The opaque ABGR word of cube roots of cone responses. */
export function wordOf(first: number, second: number, third: number): number {
  const long = first * first * first;
  const middle = second * second * second;
  const short = third * third * third;
  const red = encoded(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short);
  const green = encoded(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short);
  const blue = encoded(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function linear(byte: number): number {
  const share = byte / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Steps are fine enough for dark colours, where a byte of sRGB is the least light. */
const steps = 1 << 14;
const bytes = Uint8Array.from({ length: steps + 1 }, (_, step) => {
  const light = step / steps;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});
const encoded = (light: number): number => (light <= 0 ? 0 : light >= 1 ? 255 : bytes[(light * steps + 0.5) | 0]);
