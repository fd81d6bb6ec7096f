import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { damaged } from './damage.ts';
import { analyse } from '../../support/analyse.ts';
import { breaches, breachesOf } from './holds.ts';

const folder = resolve(import.meta.dirname, '../../../examples/systems');
/** Measured layers of the examples, as seen from the folder of a test: `../profiles/`. */
const profiles = resolve(folder, '../profiles');
const files = Object.fromEntries(
  readdirSync(profiles).map((name) => [`file:///profiles/${name}`, readFileSync(resolve(profiles, name), 'utf8')]),
);
const examples = readdirSync(folder).map((name) => readFileSync(resolve(folder, name), 'utf8'));

it('an example with one token or line damaged is read to its end, and what is wrong has its place', () => {
  fc.assert(
    fc.property(fc.constantFrom(...examples), fc.nat(6), fc.nat(2000), fc.nat(2000), (text, how, at, other) => {
      const broken = damaged(text, how, at, other);
      expect(breaches(broken, 'first', files), broken).toEqual([]);
    }),
    { numRuns: 25 },
  );
}, 180_000);

/** Codes of findings whose fixes have been tried: each is simulated, which takes a while, and is the same for all examples. */
const fixed = new Set<string>();

it.each(examples.map((text) => [text.slice(0, 60).replaceAll('\n', ' '), text] as const))(
  'the example holds, and has no error: %s',
  (_, text) => {
    const analysis = analyse(text, { files });
    expect(breachesOf(analysis, fixed, files)).toEqual([]);
    expect(analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
);
