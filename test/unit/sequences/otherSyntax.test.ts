/** Forms of other languages: one finding with what to write, and a fix that makes the schedule pass. */
import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/parse.ts';
import { slipsOf } from '../../../engine/language/otherSyntax.ts';
import { after, analyse, fixesOf } from '../../support/analyse.ts';
import { checkFix } from '../../support/expected.ts';
import { edited } from '../../support/goodFile.ts';
import * as fc from '../../support/property.ts';

const back = 'B[0..<microbatches]';
const schedule = (body: string): string =>
  `schedule mine {\n  ${body}\n}\nexpect mine { over(devices = 1..3, microbatches = 2..4)  valid }\n`;
const messages = (text: string): readonly string[] => analyse(text).findings.map(({ message }) => message);

describe('forms within a form of another language', () => {
  const found = (body: string): readonly (readonly [string, string | undefined])[] => {
    const { syntax } = analyse(schedule(`let w(d) = ${body}\n  row(d) = F[0..<microbatches], ${back}`));
    return slipsOf(syntax).map(({ message, write }) => [message, write?.text]);
  };
  it.each([
    ['d % 2 ? 3 : 4', 'if(mod(d, 2) != 0, 3, 4)'],
    ['d % 2 == 1 ? d % 3 : 4', 'if(mod(d, 2) == 1, mod(d, 3), 4)'],
    ['d == 0 ? 1 : d % 3 == 1 ? 2 : (d + 1) % 4', 'if(d == 0, 1, if(mod(d, 3) == 1, 2, mod((d + 1), 4)))'],
  ])('%s is written as a whole', (body, text) => {
    const write = found(body).find(([message]) => message.includes('"?"'));
    expect(write).toEqual([`There is no operator "?". Write \`${text}\`.`, text]);
  });
  it('leave a fix that runs', () => {
    const analysis = analyse(schedule(`row(d) = each(j in 0..<microbatches, j % 2 ? F[j] : F[j]), ${back}`));
    const fix = fixesOf(analysis, 'syntax/unexpected').find(({ title }) =>
      title.startsWith('Write if(mod(j, 2) != 0, '),
    );
    if (fix === undefined) throw new Error('no fix');
    expect(after(analysis, fix).findings).toEqual([]);
  });
});

describe('a form of another language', () => {
  it.each([
    [
      'row(d) = each(j in 0..<microbatches, if(j % 2 == 0, F[j], F[j])), BACK',
      'There is no operator "%". Write `mod(j, 2)`.',
      'mod(j, 2)',
    ],
    [
      'let w(d) = 3 + 2 * d % (devices + 1)  row(d) = take(w(d), F[0..<microbatches]), drop(w(d), F[0..<microbatches]), BACK',
      'There is no operator "%". Write `mod(2 * d, (devices + 1))`.',
      '3 + mod(2 * d, (devices + 1))',
    ],
    [
      'row(d) = each(j in 0..<microbatches, if(j mod 2 == 0, F[j], F[j])), BACK',
      '"mod" is a function, and no operator. Write `mod(j, 2)`.',
      'if(mod(j, 2) == 0',
    ],
    [
      'let w(d) = d == 0 ? 1 : 2  row(d) = take(w(d), F[0..<microbatches]), drop(w(d), F[0..<microbatches]), BACK',
      'There is no operator "?". Write `if(d == 0, 1, 2)`.',
      'let w(d) = if(d == 0, 1, 2)  row',
    ],
    [
      'row(d) = d == 0 ? F[0..<microbatches] : F[0..<microbatches], BACK',
      'There is no operator "?". Write `if(d == 0, F[0..<microbatches], F[0..<microbatches])`.',
      'row(d) = if(d == 0, F[0..<microbatches], F[0..<microbatches]), B',
    ],
    [
      'let w(d) = (if d == 0 then 1 else 2)  row(d) = take(w(d), F[0..<microbatches]), drop(w(d), F[0..<microbatches]), BACK',
      '"if" is a function. Write `if(d == 0, 1, 2)`.',
      'let w(d) = (if(d == 0, 1, 2))  row',
    ],
    [
      'let w(d) = 1 if d == 0 else 2 if d == 1 else 3 row(d) = take(w(d), F[0..<microbatches]), drop(w(d), F[0..<microbatches]), BACK',
      '"if" is a function. Write `if(d == 0, 1, if(d == 1, 2, 3))`.',
      'let w(d) = if(d == 0, 1, if(d == 1, 2, 3)) row',
    ],
    [
      'row(d) = F[0..<microbatches] if (d >= 0) else F[0..<microbatches], BACK',
      '"if" is a function. Write `if((d >= 0), F[0..<microbatches], F[0..<microbatches])`.',
      'if((d >= 0), F',
    ],
    [
      'row(d) = for j in 0..<microbatches { F[j] }, BACK',
      'A loop is a function. Write `each(j in 0..<microbatches, F[j])`.',
      'row(d) = each(j in 0..<microbatches, F[j]), B',
    ],
    [
      'row(d) = for (j in 0..<microbatches) F[j], B[j]',
      'A loop is a function. Write `each(j in 0..<microbatches, F[j], B[j])`.',
      'row(d) = each(j in 0..<microbatches, F[j], B[j])',
    ],
    [
      'row(d) = for(j in 0..<microbatches, F[j]), BACK',
      'A loop is a function. Write `each(j in 0..<microbatches, F[j])`.',
      'row(d) = each(j in 0..<microbatches, F[j]), B',
    ],
    [
      'row(d) = each j in 0..<microbatches { F[j] }, BACK',
      '"each" is a function. Write `each(j in 0..<microbatches, F[j])`.',
      'row(d) = each(j in 0..<microbatches, F[j]), B',
    ],
    [
      'row(d) = if d == 0 { F[0..<microbatches] } else { F[0..<microbatches] }, BACK',
      '"if" is a function. Write `if(d == 0, [F[0..<microbatches]], [F[0..<microbatches]])`.',
      'row(d) = if(d == 0, [F[0..<microbatches]], [F[0..<microbatches]]), B',
    ],
    [
      'row(d) = F[0..<microbatches], if (d >= 0) { BACK }',
      '"if" is a function. Write `if(d >= 0, [B[0..<microbatches]])`.',
      'if(d >= 0, [B[0..<microbatches]])',
    ],
  ])('is one mistake with one change: %s', (written, message, fixed) => {
    const body = written.replace('BACK', back);
    const text = schedule(body);
    expect(messages(text)).toEqual([message]);
    const [fix] = fixesOf(analyse(text), 'syntax/unexpected');
    const changed = after(analyse(text), fix);
    expect(changed.syntax.text).toContain(fixed);
    expect(changed.findings).toEqual([]);
    expect(changed.tests[0].answer.verdicts.every(({ verdict }) => verdict === 'passed')).toBe(true);
  });
  it('may be there twice', () => {
    const text = schedule(`row(d) = each(j in 0..<microbatches, if(j % 2 == 0 and j % 3 == 0, F[j], F[j])), ${back}`);
    expect(messages(text)).toEqual([
      'There is no operator "%". Write `mod(j, 2)`.',
      'There is no operator "%". Write `mod(j, 3)`.',
    ]);
  });
  it('has words only, where it is a statement', () => {
    expect(
      messages(schedule(`for j in 0..<microbatches { row(j) = F[j] }\n  row(d) = F[0..<microbatches], ${back}`)),
    ).toEqual(['A schedule has no statements. A row may loop. Write `row(d) = each(j in 0..<n, F[j], B[j])`.']);
    expect(messages(schedule(`if devices > 2 { row(d) = F[0..<microbatches], ${back} }`))).toEqual([
      'A schedule has no statements. A row may choose. Write `row(d) = if(d == 0, [F[0], B[0]], [])`.',
    ]);
  });
  it('leaves findings of other entries', () => {
    const text = schedule(`let a = 3 % 2\n  row(d) = F[0..<b], ${back}`);
    expect(messages(text)).toContain('Unknown name "b". Did you mean "d"?');
  });
  it('is none of names', () => {
    const names =
      'let for = 2  let div2(x) = div(x, 2)  row(d) = F[0..<microbatches], each(in in 0..<microbatches, B[in])';
    expect(messages(schedule(names)).filter((message) => !message.startsWith('Nothing uses'))).toEqual([]);
  });
  it('takes time in proportion to the text, whatever is not closed', () => {
    // Reads of tokens, counted where tokens are read.
    const reads = (copies: number, part: string): number => {
      const syntax = parse(schedule(`row(d) = ${part.repeat(copies)}`));
      let count = 0;
      const tokens = new Proxy(syntax.tokens, {
        get(target, key, receiver) {
          count += 1;
          return Reflect.get(target, key, receiver);
        },
      });
      slipsOf({ ...syntax, tokens });
      return count / syntax.tokens.length;
    };
    for (const part of [
      'row( ',
      'if( ',
      'each( ',
      'for ( ',
      '2 % ',
      '? : ',
      'each(j in 0..<2, ',
      'if(2 == 2, F[0], ',
      '2 if ',
      'if 2 then ',
      '(2 if 2 else ',
    ])
      expect(reads(2_000, part), part).toBeLessThan(1.5 * reads(500, part) + 100);
  });
  it('never stops the reading, whatever is around it', () => {
    const parts = [
      'for',
      'each',
      'if',
      'else',
      'then',
      '%',
      '?',
      ':',
      'mod',
      'j',
      'in',
      '0..<3',
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ',',
      '=',
      'row(d) =',
      'F[j]',
      '2',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (some) => {
        analyse(schedule(`row(d) = ${some.join(' ')}`));
      }),
    );
  });
});

describe('a choice of another language in another block', () => {
  const file = (value: string): string =>
    edited('microbatches = 2 * half', `microbatches = ${value}`).replace('bubble < 30%  ', '');
  it.each(['(if half == 4 then 8 else 4)', '8 if half == 4 else 4', 'half == 4 ? 8 : 4'])('%s', (value) => {
    const text = file(value);
    const analysis = analyse(text);
    expect(analysis.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
      'syntax/unexpected',
    ]);
    const [fix] = fixesOf(analysis, 'syntax/unexpected');
    expect(fix.title).toContain('Write if(half == 4, 8, 4)');
    expect(after(analysis, fix).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
  it('is no share of percent, nor a name', () => {
    for (const value of ['8 %', 'for', '?']) expect(slipsOf(parse(file(value)))).toEqual([]);
  });
});

it('`each(j = 0..<n, …)` is one mistake', () => {
  checkFix(
    schedule(`row(d) = ⟦type/mismatch:each(j = 0..<microbatches, F[j])→each(j in 0..<microbatches, F[j])⟧, ${back}`),
  );
  expect(messages(schedule(`row(d) = each(j = 0..<microbatches, F[j]), ${back}`))).toHaveLength(1);
});
