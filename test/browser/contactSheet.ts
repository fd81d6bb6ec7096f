import type { Page } from 'playwright-core';

/** Rows of pictures in one WebP, a small gap between them. `page` has a canvas and the browser's decoder. */
export async function contactSheet(
  page: Page,
  rows: readonly (readonly Buffer[])[],
  scaled: number,
  quality: number,
): Promise<Buffer> {
  const sources = rows.map((row) => row.map((bytes) => bytes.toString('base64')));
  const made = await page.evaluate(
    async ([pictures, factor, kept]) => {
      const decode = async (base64: string) =>
        createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
      const images = await Promise.all(pictures.map((row) => Promise.all(row.map(decode))));
      const gap = 8;
      const wide = (row: readonly ImageBitmap[]) =>
        row.reduce((sum, { width }) => sum + Math.round(width * factor) + gap, -gap);
      const tall = (row: readonly ImageBitmap[]) => Math.round(Math.max(...row.map(({ height }) => height)) * factor);
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(...images.map(wide));
      canvas.height = images.reduce((sum, row) => sum + tall(row) + gap, -gap);
      const ink = canvas.getContext('2d');
      if (ink === null) throw new Error('no canvas');
      ink.fillStyle = '#808080';
      if (images.length > 1) ink.fillRect(0, 0, canvas.width, canvas.height);
      ink.imageSmoothingQuality = 'high';
      let y = 0;
      for (const row of images) {
        let x = 0;
        for (const image of row) {
          ink.drawImage(image, x, y, Math.round(image.width * factor), Math.round(image.height * factor));
          x += Math.round(image.width * factor) + gap;
        }
        y += tall(row) + gap;
      }
      return canvas.toDataURL('image/webp', kept);
    },
    [sources, scaled, quality] as const,
  );
  return Buffer.from(made.slice(made.indexOf(',') + 1), 'base64');
}
