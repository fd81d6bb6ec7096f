import { expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const rows = 'F[0..<microbatches], B[0..<microbatches]';
const errorsOf = (text: string): readonly string[] =>
  analyse(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

it.each([
  [`row(d) = F(0..<microbatches), B[0..<microbatches]`, 'Unknown function "F". To use it, write "F[…]".'],
  [`row(d) = F[0..<microbatches] B[0..<microbatches]`, 'Expected "," between operations, found "B".'],
  [`row(d) = if(d = 0, F[0], F[0]), B[0]`, 'A call to if has no argument "d". To compare, write "d == …".'],
  [`row(d) = each(j in 0..<microbatches, F[j], B[i])`, 'Unknown name "i". Did you mean "j"?'],
  [
    `warm(d) = 3  row(d) = take(warm(d), F[0])`,
    'A schedule has no key "warm". To name a value, write "let warm(…) = …".',
  ],
  [`depth = 3  row(d) = F[0..<depth]`, 'A schedule has no key "depth". To name a value, write "let depth = …".'],
  [`let a = F[0]  row(d) = a b`, 'Expected "=" or "{" after "b", found "}".'],
  [
    `row(d) = F[0, 3], B[0]`,
    'Expected one microbatch or range, then `stage = …`, `chunk = …` or `part = …`, found a second value.',
  ],
])('a schedule with %s says what to write', (body, message) => {
  expect(errorsOf(`schedule s { ${body} }`)).toEqual([message]);
});

it('a colon in brackets is one mistake', () => {
  expect(errorsOf('schedule s { row(d) = F[0:microbatches], B[0..<microbatches] }')).toEqual([
    'Expected a name, a quantity or punctuation, found ":", which has no meaning here.',
  ]);
});

it('a test of nothing is one mistake', () => {
  expect(errorsOf('expect b { over(devices = 2)  valid  bubble < 3s }')).toEqual(['Unknown pipeline or schedule "b".']);
  expect(errorsOf(`schedule bb { row(d) = ${rows} }\nexpect b { valid }`)).toEqual([
    'Unknown pipeline or schedule "b". Did you mean "bb"?',
  ]);
});

it('a test with a mistake in its text passes nothing', () => {
  const test = (check: string) => analyse(`schedule s { row(d) = ${rows} }\nexpect s { valid  ${check} }`).tests.length;
  expect(test('iteration = 3')).toBe(0);
  expect(test('iteration > 3')).toBe(1);
});
