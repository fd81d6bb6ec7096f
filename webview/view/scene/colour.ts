/** Colours as [red, green, blue], 0 to 255. Pure arithmetic. */
export type Rgb = readonly [number, number, number];

/** `#rgb`, `#rrggbb`, `#rrggbbaa`, `rgb(…)`, `rgba(…)`; undefined for anything else. Transparency is laid over `under`. */
export function parseColour(text: string, under: Rgb = [0, 0, 0]): Rgb | undefined {
  const value = text.trim();
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(value)?.[1];
  if (hex !== undefined) {
    const wide = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join('') : hex;
    const part = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16);
    return mix(under, [part(0), part(2), part(4)], wide.length === 8 ? part(6) / 255 : 1);
  }
  const parts = /^rgba?\(([^)]*)\)$/i
    .exec(value)?.[1]
    .split(/[\s,/]+/)
    .filter((part) => part !== '');
  if (parts === undefined || parts.length < 3) return undefined;
  const [red, green, blue] = parts.map((part) => Number.parseFloat(part));
  const alpha = parts[3] === undefined ? 1 : Number.parseFloat(parts[3]) / (parts[3].endsWith('%') ? 100 : 1);
  return [red, green, blue, alpha].every((part) => Number.isFinite(part))
    ? mix(under, [red, green, blue], alpha)
    : undefined;
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share);
  return [part(0), part(1), part(2)];
}

export const css = ([red, green, blue]: Rgb, alpha = 1): string =>
  alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;

/** As a pixel of image data read as a little-endian 32-bit word. */
export const pixel = ([red, green, blue]: Rgb): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Relative luminance, WCAG 2.2. */
export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, WCAG 2.2: 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const light: Rgb = [255, 255, 255];
const dark: Rgb = [0x10, 0x14, 0x18];
/** White or near black, whichever reads better on `ground`. */
export const labelOn = (ground: Rgb): Rgb => (contrast(light, ground) >= contrast(dark, ground) ? light : dark);
