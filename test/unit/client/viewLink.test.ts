import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { type Link, readLink, writeLink } from '../../../client/viewLink.ts';

/** As an editor passes a link to the extension: both parts decoded once. */
function opened(link: string): ReturnType<typeof readLink> {
  const [, path, query = ''] = /^[\w-]+:\/\/pipewright\.pipewright([^?]*)(?:\?(.*))?$/.exec(link) ?? [];
  return readLink(decodeURIComponent(path), decodeURIComponent(query));
}
const written = (link: Link): string => writeLink('vscode', 'pipewright.pipewright', link);
const problemOf = (path: string, query = ''): string => {
  const link = readLink(path, query);
  return 'problem' in link ? link.problem : '';
};

test('a link names the file, the place, the selection and the sliders', () => {
  const view = {
    pipeline: 'train',
    t0: 0.05,
    t1: 0.1,
    colours: 'microbatch',
    criticalPath: true,
    overrides: { microbatches: 16, 'train.warmup': 5 },
    selection: { of: 'block', kind: 'F', stage: 0, microbatch: 3 },
  } as const;
  const link = written({ path: 'models/a b.pipe', view });
  expect(link).toBe(
    'vscode://pipewright.pipewright/view/models/a%20b.pipe?pipeline=train&from=0.05&to=0.1&colours=microbatch&path=critical&set=microbatches:16&set=train.warmup:5&select=block:F:0:3',
  );
  expect(opened(link)).toEqual({ path: 'models/a b.pipe', view });
});

const name = fc.stringMatching(/^[\p{L}_][\p{L}\p{N}_]{0,20}$/u);
const place = fc.nat(999_999_999);
const time = fc.double({ min: 0, max: 1e9, noNaN: true }).filter((value) => !Object.is(value, -0));
const selection = fc.oneof(
  fc.record({ of: fc.constantFrom('block' as const, 'gap' as const), kind: name, stage: place, microbatch: place }),
  fc.record({ of: fc.constantFrom('device' as const, 'end' as const), device: place }),
  fc.record({ of: fc.constant('range' as const), t0: time, from: place }).map(({ of, t0, from }) => ({
    of,
    t0,
    t1: t0 * 2 + 1,
    from,
    to: from,
  })),
);
const view = fc.record(
  {
    pipeline: name,
    scroll: time,
    rowHeight: time,
    colours: fc.constantFrom('microbatch' as const, 'chunk' as const, 'version' as const),
    overrides: fc
      .dictionary(
        name,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        { minKeys: 1, maxKeys: 5 },
      )
      .map((values) => ({ ...values })),
    openGroups: fc.oneof(
      fc.constant('all' as const),
      fc.uniqueArray(
        name.map((each) => `${each}[0–7]`),
        { minLength: 1, maxLength: 5 },
      ),
    ),
    selection,
  },
  { requiredKeys: [] },
);
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !/[\\/:\p{Cc}]/u.test(text) && text !== '.' && text !== '..' && !/\p{Cs}/u.test(text));

test('what is read is what was written, whatever the file is called', () => {
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 3 }), segment, view, (folders, stem, shown) => {
      const link: Link = { path: [...folders, `${stem}.pipe`].join('/'), view: shown };
      expect(opened(written(link))).toEqual(link);
    }),
  );
});

describe('nonsense is refused in one sentence that says where', () => {
  test.each([
    ['/', '', '"/": a link to a view begins with "/view/"'],
    ['/run/a.pipe', '', '"/run/a.pipe"'],
    ['/view/', '', 'must be the path of a .pipe file in the workspace'],
    ['/view//etc/a.pipe', '', '"/etc/a.pipe"'],
    ['/view/../a.pipe', '', '"../a.pipe"'],
    ['/view/a/../../b.pipe', '', '"a/../../b.pipe"'],
    ['/view/a\\..\\b.pipe', '', 'must be the path'],
    ['/view/C:/a.pipe', '', '"C:/a.pipe"'],
    ['/view/a.txt', '', '"a.txt"'],
    ['/view/a.pipe', 'from=x&to=1', '"from=x": it must be seconds from 0'],
    ['/view/a.pipe', 'from=-1&to=1', '"from=-1"'],
    ['/view/a.pipe', 'from=2&to=1', 'from must be less than to'],
    ['/view/a.pipe', 'from=2', 'from must be less than to'],
    ['/view/a.pipe', 'row=Infinity', '"row=Infinity"'],
    ['/view/a.pipe', 'colours=pink', 'one of operation, microbatch, chunk, version'],
    ['/view/a.pipe', 'set=microbatches:many', '"set=microbatches:many"'],
    ['/view/a.pipe', 'set=a:1&set=a:2', '"set=a:2"'],
    ['/view/a.pipe', 'select=block:F:0', '"select=block:F:0"'],
    ['/view/a.pipe', 'select=range:2:1:0:0', '"select=range:2:1:0:0"'],
    ['/view/a.pipe', 'pipeline=a&pipeline=b', '"pipeline=b": pipeline is there twice'],
    ['/view/a.pipe', 'command=rm', '"command=rm": no view has it'],
    ['/view/a.pipe', '__proto__=1', 'no view has it'],
    ['/view/a.pipe', '=1', 'no view has it'],
    ['/view/a.pipe', 'x'.repeat(9000), 'over 8192 characters'],
  ])('%s?%s', (path, query, said) => {
    const problem = problemOf(path, query);
    expect(problem).toMatch(/^The link is wrong[^\n]*\.$/);
    expect(problem).toContain(said);
  });

  test('whatever it is: it is read, or refused without what an editor takes for a link or a command', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (path, query) => {
        expect(problemOf(path, query)).not.toMatch(/[[\]()`<>\p{Cc}]/u);
        expect(problemOf(`/view/${path}.pipe`, `${query}=[x](command:y)`)).not.toMatch(/[[\]()`<>\p{Cc}]/u);
      }),
    );
    expect(problemOf('/view/[go](command:workbench.action.quit).pipe')).toBe(
      'The link is wrong at "�go��command:workbench.action.quit�.pipe": it must be the path of a .pipe file in the workspace.',
    );
  });
});
