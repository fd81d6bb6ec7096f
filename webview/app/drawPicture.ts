import type { Drawing } from '../protocol/requests.ts';

/** The PNG of an SVG in base64, with the fonts of the browser; undefined if the browser refuses, such as for too large a picture. */
export async function drawPicture({ svg, scale }: Drawing): Promise<string | undefined> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const [, base64] = /^data:image\/png;base64,(.+)$/.exec(canvas.toDataURL('image/png')) ?? [];
    return base64;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(address);
  }
}
