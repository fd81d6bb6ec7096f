import type { Locator, Page } from 'playwright-core';

export type Rgb = readonly [number, number, number];

/** What a part of the page looks like: pixels as shown, in CSS pixels from its corner. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  colourAt(x: number, y: number): Rgb;
  /** Share of pixels within `distance` (largest difference of a channel) of a colour. */
  share(colour: Rgb, distance?: number): number;
  /** Middle of the widest run of this colour in any line from `top` on; undefined where there is none. */
  find(colour: Rgb, top: number): { readonly x: number; readonly y: number } | undefined;
}

/** Decoded by the browser itself: the screenshot is a PNG. */
export async function picture(page: Page, of: Locator): Promise<Picture> {
  const png = await of.screenshot({ animations: 'disabled' });
  const { width, height, data } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
    let text = '';
    for (let start = 0; start < pixels.length; start += 0x8000)
      text += String.fromCharCode(...pixels.subarray(start, start + 0x8000));
    return { width: image.width, height: image.height, data: btoa(text) };
  }, png.toString('base64'));
  const pixels = Buffer.from(data, 'base64');
  const colourAt = (x: number, y: number): Rgb => {
    const index = (Math.floor(y) * width + Math.floor(x)) * 4;
    return [pixels[index] ?? 0, pixels[index + 1] ?? 0, pixels[index + 2] ?? 0];
  };
  const near = (x: number, y: number, colour: Rgb, distance: number): boolean =>
    colourAt(x, y).every((part, channel) => Math.abs(part - (colour[channel] ?? 0)) <= distance);
  return {
    width,
    height,
    colourAt,
    share(colour, distance = 6) {
      let count = 0;
      for (let y = 0; y < height; y += 1)
        for (let x = 0; x < width; x += 1) if (near(x, y, colour, distance)) count += 1;
      return count / (width * height);
    },
    find(colour, top) {
      let best = { length: 0, x: 0, y: 0 };
      for (let y = top; y < height; y += 1) {
        for (let x = 0, length = 0; x < width; x += 1) {
          length = near(x, y, colour, 6) ? length + 1 : 0;
          if (length > best.length) best = { length, x: x - Math.floor(length / 2), y };
        }
      }
      return best.length < 4 ? undefined : { x: best.x, y: best.y };
    },
  };
}

export const rgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};
