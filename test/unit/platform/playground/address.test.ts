import { expect, test } from 'vitest';
import { addressOf, exampleAddress, readAddress } from '../../../../platform/browser/playground/address.ts';
import * as fc from '../../../support/property.ts';

test('an address gives back the name and the text', async () => {
  const names = fc.constantFrom('a.pipe', 'gpt 175b.pipe', 'größe-2.pipe', 'a~b.pipe'.replace('~', '_'));
  await fc.assert(
    fc.asyncProperty(names, fc.string({ unit: 'grapheme' }), async (name, text) => {
      const address = await addressOf({ name, text });
      expect(address).toMatch(/^#[\w.%~-]+$/);
      expect(await readAddress(address)).toEqual({ name, text });
    }),
  );
});

test('an address of an example has its name, and one without anything asks for nothing', async () => {
  expect(await readAddress(exampleAddress('published/gpipe.pipe'))).toEqual({ example: 'published/gpipe.pipe' });
  expect(await readAddress('')).toBeUndefined();
  expect(await readAddress('#')).toBeUndefined();
});

test('a damaged address is refused in words', async () => {
  const whole = await addressOf({ name: 'a.pipe', text: 'model toy { layer block[8] { forward = 4ms } }'.repeat(9) });
  const damaged = [
    whole.slice(0, -9),
    '#1.a~pipe.',
    '#1.a~pipe.!!',
    '#2.a~pipe.AAAA',
    '#1.%E0%A4%A.AAAA',
    '#example=%E0%A4%A',
  ];
  for (const address of damaged)
    expect(await readAddress(address), address).toEqual({ problem: expect.stringContaining('damaged') as string });
});

test('a small address that unpacks to a very long text is refused', async () => {
  const address = await addressOf({ name: 'a.pipe', text: ' '.repeat(2 ** 20 + 1) });
  expect(address.length).toBeLessThan(2_000);
  // The text itself is too long to be printed.
  expect(Object.keys((await readAddress(address)) ?? {})).toEqual(['problem']);
});
