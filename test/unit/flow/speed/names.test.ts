import { createReporter } from '../../../../engine/findings/reporter.ts';
import { expect, test, vi } from 'vitest';
import { parse } from '../../../../grammar/index.ts';
import type { Token } from '../../../../grammar/syntax.ts';
import { finding } from '../../../../engine/findings/finding.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import { declareAll, reportUnused, reportUnusedInSchedules } from '../../../../engine/language/declare.ts';
import { unreadNames } from '../../../../engine/language/tables.ts';
import { foreignFiles } from '../../../../engine/language/foreign.ts';
import { linkFile } from '../../../../engine/language/linking.ts';
import { createReadContext } from '../../../../engine/read/context.ts';
import { toEnd } from '../../../../engine/basics/steps.ts';

test('no suggestion is looked for once a file has more findings than are kept', () => {
  const report = createReporter('file:///a.pipe', 2);
  let looked = 0;
  function* names(): Generator<string> {
    looked += 1;
    yield 'stages';
  }
  expect(report.nearest('stage', names())).toBe('stages');
  const place = { uri: report.uri, start: 0, end: 1 };
  report.add(finding('name/unknown', place, { kind: 'name', name: 'a' }));
  report.add(finding('name/unknown', { ...place, start: 1, end: 2 }, { kind: 'name', name: 'b' }));
  expect(report.nearest('stage', names())).toBeUndefined();
  expect(looked).toBe(1);
});

test('the names of a schedule are linked and counted as used in proportion to their number', () => {
  const work = (names: number): number => {
    // Each is unused, has a parameter, and writes an operation.
    const lets = Array.from({ length: names }, (_, at) => `let a${at}(x) = F[x]`).join('\n');
    const syntax = parse(`schedule mine {\n${lets}\nrow(d) = a0(d)\n}\npipeline p { }`);
    let count = 0;
    const counted = (token: Token): Token =>
      Object.defineProperty({ ...token }, 'kind', {
        get: () => {
          count += 1;
          return token.kind;
        },
      });
    const uri = 'file:///a.pipe';
    const noFiles = foreignFiles({ resolve: (path) => path, read: () => ({ problem: 'not-found' }) }, defaultOptions);
    const context = createReadContext(
      uri,
      { ...syntax, tokens: syntax.tokens.map(counted) },
      defaultOptions,
      createReporter(uri, 1000),
      noFiles,
    );
    // A map that is copied sets each of its entries again.
    const set = vi.spyOn(Map.prototype, 'set');
    declareAll(context, () => undefined);
    toEnd(linkFile(context));
    reportUnusedInSchedules(context);
    reportUnused(context, () => unreadNames(syntax, context, new Map()));
    count += set.mock.calls.length;
    set.mockRestore();
    return count;
  };
  const few = work(100);
  expect(work(400) / few).toBeLessThan(4.5);
});
