import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { base64, fromBase64 } from '../../../platform/common/base64.ts';
import { sha256Hex } from '../../../platform/common/sha256.ts';

/** A block has 64 bytes, of which the last one keeps 9. */
const lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000];

test.each(lengths)('a text of %i units has the hash that Node computes', (length) => {
  const text = 'aé€😀\u0000z'.repeat(length).slice(0, length);
  expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
});

test('bytes become the base64 that Node writes, and come back', () => {
  const bytes = Uint8Array.from({ length: 100_003 }, (_, at) => (at * 7) % 256);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  expect(fromBase64(base64(bytes))).toEqual(bytes);
  expect(base64('é€😀')).toBe(Buffer.from('é€😀').toString('base64'));
});
