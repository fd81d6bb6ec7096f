import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { anyPipe } from './anyPipe.ts';
import { analyse } from '../../support/analyse.ts';
import { breaches } from './holds.ts';
import { terminalBreaches } from './terminal.ts';

it('whatever a file says, figures are figures, add up, and what does not run says why', () => {
  fc.assert(
    fc.property(anyPipe, (text) => {
      expect(breaches(text, 'in turn'), text).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

it('every command answers or refuses in words', async () => {
  await fc.assert(
    fc.asyncProperty(anyPipe, async (text) => {
      expect(await terminalBreaches(text), text).toEqual([]);
    }),
    { numRuns: 10 },
  );
});

it('a fair share of the random files runs', () => {
  const files = fc.sample(anyPipe, { numRuns: 60, seed: 7 });
  const running = files.filter((text) => analyse(text).pipelines.some(({ run }) => run !== undefined));
  expect(running.length).toBeGreaterThan(15);
});
