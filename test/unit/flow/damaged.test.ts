import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { damaged } from './damage.ts';
import { analyseExample } from '../../support/analyse.ts';
import { exampleNames, exampleText } from '../../support/example.ts';
import { breaches, breachesOf } from './holds.ts';

const folder = resolve(import.meta.dirname, '../../../examples/systems');
/** Measured layers of the examples, as seen from the folder of a test: `../profiles/`. */
const profiles = resolve(folder, '../profiles');
const files = Object.fromEntries(
  readdirSync(profiles).map((name) => [`file:///profiles/${name}`, readFileSync(resolve(profiles, name), 'utf8')]),
);
const examples = exampleNames.filter((name) => name.startsWith('systems/'));

/** Texts of those that take seconds are as the others: few of their tokens are about what takes long. */
const short = examples.filter((name) => !/(bytescheduler|ddp_horovod|dear|hetpipe|p3|pace|tictac)/.test(name));

it('an example with one token or line damaged is read to its end, and what is wrong has its place', () => {
  fc.assert(
    fc.property(fc.constantFrom(...short), fc.nat(6), fc.nat(2000), fc.nat(2000), (name, how, at, other) => {
      const broken = damaged(exampleText(name), how, at, other);
      expect(breaches(broken, 'first', files), broken).toEqual([]);
    }),
    { numRuns: 12 },
  );
}, 180_000);

/** Codes of findings whose fixes have been tried: each is simulated, which takes a while, and is the same for all examples. */
const fixed = new Set<string>();

it.each(examples)('the example holds, and has no error: %s', (name) => {
  const analysis = analyseExample(name);
  expect(breachesOf(analysis, fixed, files)).toEqual([]);
  expect(analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});
