/** Draws `images/icon.png`: four devices, five microbatches, 1F1B. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { root } from './build.ts';

const size = 128;
const scale = 4; // drawn at this multiple and averaged, for smooth corners
type Rgba = readonly [number, number, number, number];
const ground: Rgba = [0x1f, 0x24, 0x30, 255];
const forward: Rgba = [0x2f, 0x77, 0xc8, 255];
const backward: Rgba = [0xeb, 0x96, 0x4e, 255];
const weight: Rgba = [0x7c, 0xca, 0xab, 255];

/** Rows of a zero-bubble schedule in units of one operation; `.` idles. */
const rows = ['FFFB.BWBW', '.FFBFBWBW', '..FBFBWBW', '...FBFBWW'] as const;
const colourOf: Readonly<Record<string, Rgba>> = { F: forward, B: backward, W: weight };

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  readonly colour: Rgba;
}

const blocks = rows.flatMap((row, device) =>
  [...row].flatMap((letter, slot): Rectangle[] => {
    const colour = colourOf[letter];
    return colour === undefined
      ? []
      : [{ x: 12 + slot * 11.6, y: 22 + device * 22, width: 10.6, height: 18, radius: 2.5, colour }];
  }),
);
const shapes: readonly Rectangle[] = [{ x: 0, y: 0, width: size, height: size, radius: 24, colour: ground }, ...blocks];

function inside({ x, y, width, height, radius }: Rectangle, px: number, py: number): boolean {
  if (px < x || py < y || px > x + width || py > y + height) return false;
  const dx = Math.max(x + radius - px, 0, px - (x + width - radius));
  const dy = Math.max(y + radius - py, 0, py - (y + height - radius));
  return dx * dx + dy * dy <= radius * radius;
}

function pixel(x: number, y: number): Rgba {
  const sum = [0, 0, 0, 0];
  for (let step = 0; step < scale * scale; step += 1) {
    const px = x + ((step % scale) + 0.5) / scale;
    const py = y + (Math.floor(step / scale) + 0.5) / scale;
    const top = shapes.findLast((shape) => inside(shape, px, py));
    if (top !== undefined) top.colour.forEach((part, index) => (sum[index] = (sum[index] ?? 0) + part));
  }
  const covered = Math.max(1, (sum[3] ?? 0) / 255);
  const [red = 0, green = 0, blue = 0, alpha = 0] = sum;
  return [red / covered, green / covered, blue / covered, alpha / (scale * scale)];
}

/** PNG, 8 bits a channel with alpha (ISO/IEC 15948). */
function png(): Buffer {
  const lines = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (_, x) => pixel(x, y)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(lines.flat().map(Math.round)), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

mkdirSync(path.join(root, 'images'), { recursive: true });
writeFileSync(path.join(root, 'images', 'icon.png'), png());
