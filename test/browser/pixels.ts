import type { Page } from 'playwright-core';

export type Point = readonly [x: number, y: number];
export type Colour = readonly [red: number, green: number, blue: number];

/** Colours of pixels of a page, as shown. All of one moment: of one picture of the least area that holds them. */
export async function pixelsOf(page: Page, points: readonly Point[]): Promise<readonly Colour[]> {
  const columns = points.map(([x]) => Math.floor(x));
  const lines = points.map(([, y]) => Math.floor(y));
  const [left, top] = [Math.min(...columns), Math.min(...lines)];
  const [width, height] = [Math.max(...columns) - left + 1, Math.max(...lines) - top + 1];
  const png = await page.screenshot({ clip: { x: left, y: top, width, height } });
  const places = columns.map((column, index) => [column - left, (lines[index] ?? top) - top] as const);
  return page.evaluate(
    async ([base64, wanted, across]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]));
      const ink = new OffscreenCanvas(image.width, image.height).getContext('2d');
      ink?.drawImage(image, 0, 0);
      const scale = image.width / across;
      return wanted.map(([x, y]) => {
        const [red = 0, green = 0, blue = 0] = ink?.getImageData(x * scale, y * scale, 1, 1).data ?? [];
        return [red, green, blue] as const;
      });
    },
    [png.toString('base64'), places, width] as const,
  );
}

export async function pixelOf(page: Page, x: number, y: number): Promise<Colour> {
  const [colour = [0, 0, 0] as const] = await pixelsOf(page, [[x, y]]);
  return colour;
}
