/**
 * A PNG of plain pixels, without compression: the same bytes on every machine, which a library's compression does not promise.
 * PNG specification (third edition), sections 5 and 11; zlib RFC 1950, stored blocks RFC 1951, 3.2.4.
 */

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  for (let at = from; at < to; at += 1) crc = (crc >>> 8) ^ crcTable[(crc ^ bytes[at]) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return ((high << 16) | low) >>> 0;
}

const mostStored = 65535;

/** Red, green, blue and, for four channels, opacity of each pixel, row by row. */
export function png(width: number, height: number, pixels: Uint8Array, channels: 3 | 4 = 3): Uint8Array {
  const length = width * channels;
  const lines = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row += 1)
    lines.set(pixels.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits a channel; colour, or colour and opacity; no interlacing.
  header.set([8, channels === 3 ? 2 : 6], 8);
  const chunks = [chunk('IHDR', header), chunk('IDAT', zlib(lines)), chunk('IEND', new Uint8Array(0))];
  return joined([Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), ...chunks]);
}

function zlib(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let from = 0; from < bytes.length; from += mostStored) {
    const part = bytes.subarray(from, from + mostStored);
    const last = from + mostStored >= bytes.length ? 1 : 0;
    const { length } = part;
    parts.push(Uint8Array.of(last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255), part);
  }
  const sum = new Uint8Array(4);
  new DataView(sum.buffer).setUint32(0, adler32(bytes));
  return joined([...parts, sum]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let at = 0; at < 4; at += 1) bytes[4 + at] = type.charCodeAt(at);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes, 4, 8 + data.length));
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** RFC 4648. The engine has no host that could do it. */
export function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const rest = bytes.length - at;
    const group = (bytes[at] << 16) | ((rest > 1 ? bytes[at + 1] : 0) << 8) | (rest > 2 ? bytes[at + 2] : 0);
    parts.push(
      digits[group >> 18] +
        digits[(group >> 12) & 63] +
        (rest > 1 ? digits[(group >> 6) & 63] : '=') +
        (rest > 2 ? digits[group & 63] : '='),
    );
  }
  return parts.join('');
}
