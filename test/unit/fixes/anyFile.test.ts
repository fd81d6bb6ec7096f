import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { fixesFor, refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { parse } from '../../../grammar/index.ts';
import { after, analyse, checkedAfter } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const files = [
  pipe({ memory: '3GiB', pipeline: '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b' }),
  pipe({
    memory: '3GiB',
    link: '2GB/s + 1us',
    pipeline:
      '  microbatches = 9\n  stage a { layers = block[0..3] }\n  stage b { layers = block[4] }\n  stage c { layers = block[5] }\n' +
      '  stage d { layers = block[6..7]  on = gpu[3] }\n  schedule = 1f1b\n  optimizer = adam_mixed',
    more: 'let spare = 3\nexpect train { bubble < 30% }\n',
  }),
];

/** A few of many: each fix is tried on the whole file. */
const someOf = <T>(all: readonly T[], seed: number): readonly T[] =>
  [0, 1].flatMap((turn) => all.slice((seed + turn) % Math.max(1, all.length)).slice(0, 1));

it('fixes of any damaged file are edits within it, never fail, and bring back no syntax error', () => {
  const damage = fc.record({
    file: fc.constantFrom(...files),
    gone: fc.array(fc.nat(200), { minLength: 0, maxLength: 3 }),
    at: fc.nat(800),
  });
  fc.assert(
    fc.property(damage, ({ file, gone, at }) => {
      const { tokens } = parse(file, { size: 1e6, faults: 100 });
      const holes = [...new Set(gone)].flatMap((index) => (index < tokens.length ? [tokens[index]] : []));
      const text = apply(
        file,
        holes.map(({ start, end }) => ({ start, end, text: '' })),
      );
      const analysis = analyse(text);
      const again = checkedAfter(analysis);
      const offered = [
        ...someOf(analysis.findings, at).flatMap((finding) => fixesFor(analysis, finding, again)),
        ...refactorings(analysis, at, again),
      ];
      for (const fix of offered) {
        const edits = fix.edits.toSorted((a, b) => a.start - b.start);
        expect(edits.length).toBeGreaterThan(0);
        let end = 0;
        for (const edit of edits) {
          expect(edit.start).toBeGreaterThanOrEqual(end);
          expect(edit.end).toBeGreaterThanOrEqual(edit.start);
          ({ end } = edit);
        }
        expect(end).toBeLessThanOrEqual(text.length);
        expect(fix.title).not.toMatch(/NaN|undefined|Infinity/);
        expect(after(analysis, fix).syntax.errors.length).toBeLessThanOrEqual(analysis.syntax.errors.length);
      }
    }),
    { numRuns: 30 },
  );
}, 180_000);
