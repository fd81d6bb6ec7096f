/** Screenshots as an animated WebP: of each frame the part that changed. */
import type { Page } from 'playwright-core';

export interface Frame {
  readonly screenshot: Buffer;
  readonly milliseconds: number;
}

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A still WebP of the part. */
  readonly picture: Buffer;
}

/** `page` has a canvas, and the browser's encoder. A frame that changes nothing makes the one before it longer. */
export async function animation(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  const shown: (Part & { milliseconds: number })[] = [];
  for (const [index, { screenshot, milliseconds }] of frames.entries()) {
    const part = await changedPart(page, frames[index - 1]?.screenshot, screenshot);
    const last = shown.at(-1);
    if (part !== undefined) shown.push({ ...part, milliseconds });
    else if (last !== undefined) last.milliseconds += milliseconds;
  }
  const [first] = shown;
  if (first === undefined) throw new Error('An animation has a frame.');
  const animatedWithAlpha = 0x12;
  const head = chunk(
    'VP8X',
    Buffer.concat([Buffer.from([animatedWithAlpha, 0, 0, 0]), u24(first.width - 1), u24(first.height - 1)]),
  );
  const forever = chunk('ANIM', Buffer.alloc(6));
  const body = Buffer.concat([Buffer.from('WEBP'), head, forever, ...shown.map(frameChunk)]);
  return Buffer.concat([Buffer.from('RIFF'), u32(body.length), body]);
}

function frameChunk({ x, y, width, height, picture, milliseconds }: Part & { readonly milliseconds: number }): Buffer {
  const blended = Buffer.alloc(1);
  const place = [x / 2, y / 2, width - 1, height - 1, milliseconds].map(u24);
  return chunk('ANMF', Buffer.concat([...place, blended, pixelsOf(picture)]));
}

/** The chunk with the pixels of a still WebP. A frame may have no other one, such as a colour profile. */
function pixelsOf(picture: Buffer): Buffer {
  for (let at = 12; at < picture.length;) {
    const end = at + 8 + picture.readUInt32LE(at + 4);
    if (/^VP8[L ]$/.test(picture.toString('latin1', at, at + 4))) return picture.subarray(at, end + (end % 2));
    at = end + (end % 2);
  }
  throw new Error('The browser has made no picture.');
}

/** The part of a screenshot that differs from the one before; all of it if there is none before. Frames begin at even pixels. */
async function changedPart(page: Page, before: Buffer | undefined, after: Buffer): Promise<Part | undefined> {
  const found = await page.evaluate(
    async ([was, is]) => {
      const drawn = async (base64: string): Promise<[OffscreenCanvas, Uint32Array]> => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const ink = canvas.getContext('2d');
        if (ink === null) throw new Error('no canvas');
        ink.drawImage(bitmap, 0, 0);
        return [canvas, new Uint32Array(ink.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)];
      };
      const [canvas, pixels] = await drawn(is);
      const changed = pixels.slice();
      let [left, top, right, bottom] = [0, 0, canvas.width, canvas.height];
      if (was !== undefined) {
        const [, old] = await drawn(was);
        [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
        for (let at = 0; at < pixels.length; at += 1)
          if (pixels[at] === old[at]) changed[at] = 0;
          else {
            const [x, y] = [at % canvas.width, Math.floor(at / canvas.width)];
            [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
            [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
          }
        if (right === 0) return undefined;
      }
      [left, top] = [left - (left % 2), top - (top % 2)];
      const [width, height] = [right - left, bottom - top];
      const part = new OffscreenCanvas(width, height);
      const ink = part.getContext('2d');
      if (ink === null) throw new Error('no canvas');
      ink.drawImage(canvas, -left, -top);
      const lossy = await part.convertToBlob({ type: 'image/webp', quality: 0.5 });
      ink.putImageData(new ImageData(new Uint8ClampedArray(changed.buffer), canvas.width, canvas.height), -left, -top);
      // With quality 1 the encoder loses nothing. What has not changed is transparent, which takes few bytes.
      const lossless = await part.convertToBlob({ type: 'image/webp', quality: 1 });
      const smaller = lossy.size < lossless.size ? lossy : lossless;
      const bytes = new Uint8Array(await smaller.arrayBuffer());
      const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      return { x: left, y: top, width, height, base64 };
    },
    [before?.toString('base64'), after.toString('base64')] as const,
  );
  return found === undefined ? undefined : { ...found, picture: Buffer.from(found.base64, 'base64') };
}

function chunk(name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name), u32(content.length), content, padding]);
}

function u24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
