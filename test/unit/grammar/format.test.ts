import { describe, expect, it } from 'vitest';
import { format, parse } from '../../../grammar/index.ts';

const formatted = (text: string, width?: number): string => {
  const result = format(parse(text), { width });
  return result.ok ? result.text : result.fault.message;
};
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

/** Texts that are in canonical layout already, each for one reason. */
const canonical: readonly (readonly [name: string, text: string])[] = [
  ['nothing', ''],
  ['a block on one line', lines('model toy { a = 1  b = 2 }', 'model empty {}')],
  ['a block on several lines', lines('model toy {', '  a = 1', '}')],
  ['entries that share a line', lines('model m {', '  sequence = 2048  micro_batch = 1', '  layer a = f(x = 1)', '}')],
  ['operators and signs', lines('let a = -b * 3 + (4 - -c) / f(-1, k = 2)[0]'.replace('[0]', ''))],
  ['ranges', lines('let a = F[0..<stages-d], G'.replace(', G', ''), 'let b = -1..-3', 'let c = 1 + f(2..3)')],
  [
    'operators that would become another token',
    lines('let a = 300 / s..5', 'let b = 1e + 2..5', 'let c = a - -b..c', 'let d = - -1'),
  ],
  ['links', lines('cluster c { link gpu[0] -- gpu[1] = 25GB/s + 5us }')],
  ['parameters and nested lists', lines('schedule s { row(d) = F[0, stage = k], zip([1, [2]], []) }')],
  ['imports', lines('import "a.pipe"', 'import { a, b } from "std:hardware"')],
  ['params', lines('param m = 8 in 1..64 step -1  // slider')],
  ['checks', lines('expect t { a < 1  b(x = 1) >= 2GiB; c != 3 }')],
  [
    '"=" below one another in a run of entries',
    lines(
      'pipeline p {',
      '  model        = toy',
      '  microbatches = 8',
      '',
      '  in = 1',
      '  stage a { x = 1 }',
      '  y = 2',
      '}',
    ),
  ],
  [
    'a comment on its own line within a run',
    lines('pipeline p {', '  model        = toy', '  // how many', '  microbatches = 8', '}'),
  ],
  [
    'comments at the ends of lines below one another',
    lines(
      'pipeline p {',
      '  a   = toy    // one',
      '  b   = 8      // two',
      '  cde = "xyz"',
      '  f   = [1]    // three',
      '}',
    )
      .replaceAll('    //', '  //')
      .replace('8      //', '8    //')
      .replace('toy  //', 'toy  //'),
  ],
  ['a comment behind a brace', lines('model m {  // why', '  a = 1', '}  // end')],
  ['comments before the end of a block', lines('model m {', '  a = 1', '  // last', '}', '', '// end')],
  [
    'blank lines between entries',
    lines('model m {', '  a = 1', '', '  // about b', '  b = 2', '}', '', '/// doc', 'let x = 1'),
  ],
  [
    'block comments',
    lines('/* a', '   b */', 'let x = /* y */ 1', 'model m {', '  a = 1 /* z */', '  /* w */ b = 2', '}'),
  ],
];

describe('format', () => {
  it.each(canonical)('leaves %s alone', (_, text) => expect(formatted(text)).toBe(text));

  const changed: readonly (readonly [name: string, source: string, result: string])[] = [
    ['sets in and parts', 'model m{a=1 b=2}', lines('model m { a = 1  b = 2 }')],
    ['puts declarations on lines of their own', 'let a=1 let b=2', lines('let a = 1', 'let b = 2')],
    ['keeps one blank line of several', 'let a = 1\n\n\n\nlet b = 2\n\n\n', lines('let a = 1', '', 'let b = 2')],
    ['drops blank lines at the edges of a block', 'model m {\n\n a = 1\n\n}', lines('model m {', '  a = 1', '}')],
    ['joins a value that was broken', 'let a = f(1,\n  2)', lines('let a = f(1, 2)')],
    ['opens a block with a broken inside', 'model m { a = 1\nb = 2 }', lines('model m {', '  a = 1', '  b = 2', '}')],
    ['removes white space at the ends of lines', 'let a = 1   \n// x  \n', lines('let a = 1', '// x')],
    ['keeps a comment in the middle of a list', 'let a = [1, // one\n2]', lines('let a = [1,  // one', '    2]')],
    ['keeps the mark and the line ends', '\ufefflet a = 1\r\n\r\n\r\nlet b=2', '\ufefflet a = 1\r\n\r\nlet b = 2\r\n'],
  ];
  it.each(changed)('%s', (_, source, result) => expect(formatted(source)).toBe(result));

  it('breaks what does not fit: a block first, then entries, then after commas', () => {
    expect(formatted('model m { a = 1  b = 2 }', 20)).toBe(lines('model m {', '  a = 1  b = 2', '}'));
    expect(formatted('model m { a = 1  b = 2 }', 12)).toBe(lines('model m {', '  a = 1', '  b = 2', '}'));
    expect(formatted('let abc = f([1, 2], 3456, 78)', 22)).toBe(lines('let abc = f([1, 2],', '    3456, 78)'));
    expect(formatted('model m { a = bbbb, f(cccc, dddd) }', 16)).toBe(
      lines('model m {', '  a = bbbb,', '      f(cccc,', '      dddd)', '}'),
    );
  });

  it('refuses a file with faults, naming the first', () => {
    expect(format(parse('let a =\nmodel m {'))).toMatchObject({ ok: false, fault: { start: 6 } });
  });

  it.each([
    ['model m { layer a { x = 1 } model n { layer b {\n x = 2 } } }', 28, 'model n'],
    ['model m { a = 1 expect e {} b {\n x = 2 } }', 16, 'expect e'],
    ['model m { a = 1 let x = 2 b {\n x = 2 } }', 16, 'let x'],
    ['model m { a = 1 param x = 2 b {\n x = 2 } }', 16, 'param x'],
    ['model m { a = 1 import { b = 2 } b {\n x = 2 } }', 16, 'import'],
  ])('refuses to begin a line with a declaration that stands in a block: %j', (text, start, shown) => {
    expect(parse(text).errors).toEqual([]);
    const message = `Expected an entry, found "${shown}", which begins a declaration. Move it out of the block.`;
    const end = start + shown.indexOf(' ') + (shown.includes(' ') ? 0 : 1 + shown.length);
    expect(format(parse(text))).toEqual({ ok: false, fault: { code: 'syntax/unexpected', start, end, message } });
  });

  it('leaves a name on its line, even if it is a keyword', () => {
    expect(formatted('expect // note\nimport {}')).toBe(lines('expect  // note', '    import {}'));
  });

  it('keeps on its line what would begin a declaration on the next', () => {
    expect(formatted('model m { model n { a = 1 } }')).toBe(lines('model m { model n { a = 1 } }'));
    expect(formatted('model m { let = 1\n model = 2 }')).toBe(lines('model m {', '  let   = 1', '  model = 2', '}'));
  });

  it('refuses a text that was too long to be read', () => {
    expect(format(parse('let a = 1', { size: 3 })).ok).toBe(false);
  });
});
