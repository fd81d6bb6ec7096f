/** The font in the packages draws what the whole font draws. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Resvg } from '@resvg/resvg-wasm';
import { beforeAll, expect, test } from 'vitest';
import { glyphsOf } from '../../../platform/node/glyphs.ts';
import { rasterise } from '../../../platform/node/raster.ts';
import { subsetOf } from '../../../scripts/font/subset.ts';
import * as fc from '../../support/property.ts';

const { resolve } = createRequire(import.meta.url);
const whole = readFileSync(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));
const subset = subsetOf(whole);
const characters = [...glyphsOf(subset).keys()].filter((character) => !'<&>'.includes(character));

let Renderer: typeof Resvg;
beforeAll(async () => {
  // It starts the renderer, once for all tests of a process.
  await rasterise({ svg: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>', scale: 1 });
  Renderer = (await import('@resvg/resvg-wasm')).Resvg;
});

function drawn(text: string, font: Uint8Array): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="60"><text x="9" y="40" font-size="20">${text}</text></svg>`;
  const family = 'DejaVu Sans';
  const options = { loadSystemFonts: false, fontBuffers: [font], defaultFontFamily: family, sansSerifFamily: family };
  const picture = new Renderer(svg, { font: options });
  const png = Buffer.from(picture.render().asPng()).toString('base64');
  picture.free();
  return png;
}

test('every character of the subset is drawn as the whole font draws it, also as a part of a ligature and below a mark', () => {
  expect(drawn('a', subset)).not.toBe(drawn('', subset));
  for (let first = 0; first < characters.length; first += 60) {
    const text = characters.slice(first, first + 60).join('');
    expect(drawn(text, subset) === drawn(text, whole), text).toBe(true);
  }
  const texts = fc.array(fc.constantFrom(...characters, 'ffi', 'fl', 'AV', 'i\u0301', 'e\u0323\u0302', ' '), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(texts, (parts) => drawn(parts.join(''), subset) === drawn(parts.join(''), whole)),
    { numRuns: 40 },
  );
});

test('it has the alphabets and signs of names and formulas, and says what it does not have', () => {
  const has = new Set(characters);
  const wanted = 'azAZ09äßéłőşŽαΩжЯ₀²ⁿ–—…•€™←→⇒∑√≤≥≠≈×÷±µ°│█▲●ﬁ\ufffd';
  expect([...wanted].filter((character) => !has.has(character))).toEqual([]);
  expect(['中', '한', 'ש', 'ع'].filter((character) => has.has(character))).toEqual([]);
  expect(subset.length).toBeLessThan(0.4 * whole.length);
});
