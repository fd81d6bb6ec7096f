/** Expressions that ask for more steps than a machine takes in a year: how often each is evaluated, and what is said. */
import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { parse } from '../../../grammar/index.ts';
import type { BlockDeclaration, Entry } from '../../../grammar/syntax.ts';
import { declareAll } from '../../../engine/language/declare.ts';
import { foreignFiles } from '../../../engine/language/foreign.ts';
import { linkFile } from '../../../engine/language/linking.ts';
import { symbolId } from '../../../engine/language/context.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { createReadContext } from '../../../engine/read/context.ts';
import { compile } from '../../../engine/sequences/compile.ts';
import type { Code } from '../../../engine/sequences/code.ts';
import type { Names } from '../../../engine/sequences/names.ts';
import type { Expression } from '../../../grammar/syntax.ts';
import { compileSchedule, frameOf } from '../../../engine/sequences/schedule.ts';
import { analyse } from '../../support/analyse.ts';
import { heavyTexts } from '../../support/heavyTexts.ts';
import { hostOf, uri } from '../../support/host.ts';

const levels = 16;
const doubling = (key: string, first: string, join: string): string =>
  Array.from({ length: levels }, (_, index) => `${key} x${index + 1} = x${index}${join}x${index}`)
    .toSpliced(0, 0, `${key} x0 = ${first}`)
    .join('\n');

/** How often expressions were evaluated while `run` ran. */
function evaluations(body: string, run: (names: Names, frame: ReturnType<typeof frameOf>) => void): number {
  const syntax = parse(`schedule mine {\n${body}\nrow(d) = F[0]\n}`, { size: 1e6, faults: 10 });
  expect(syntax.errors).toEqual([]);
  const report = createReporter(uri, 10);
  const context = createReadContext(uri, syntax, defaultOptions, report, foreignFiles(hostOf(), defaultOptions));
  declareAll(context, () => undefined);
  toEnd(linkFile(context));
  const [block] = syntax.declarations as readonly BlockDeclaration[];
  const entries = (block.body?.entries ?? []).filter((entry): entry is Entry => entry.kind === 'entry');
  let count = 0;
  const counted =
    <Arguments extends readonly unknown[], Result>(run: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      count += 1;
      return run(...given);
    };
  const counting = (names: Names, expression: Expression): Code | undefined => {
    const code = compile(names, expression);
    if (code === undefined || expression.kind !== 'name') return code;
    if (code.kind === 'number') return { ...code, at: counted(code.at) };
    if (code.kind === 'truth') return { ...code, at: counted(code.at) };
    return code.kind === 'sequence' ? { ...code, size: counted(code.size) } : code;
  };
  const compiled = compileSchedule(context, { name: 'mine', symbol: symbolId('schedule', 'mine') }, entries, counting);
  const unknown = { stages: NaN, devices: NaN, microbatches: NaN };
  run(compiled.names, frameOf(compiled, unknown, new Map(), report));
  return count;
}

const last = (names: Names): Code => {
  const found = [...names.lets.values()].at(-1)?.code ?? [...names.params.values()].at(-1);
  if (found === undefined) throw new Error('The text declares nothing.');
  return found;
};

describe('names that use the one before twice are evaluated in proportion to their number', () => {
  test.each([
    ['operations', 'let', 'F[0]', ', '],
    ['nothing', 'let', '[]', ', '],
    ['unknown numbers', 'let', 'microbatches', ' + '],
    ['comparisons', 'let', '0 < 1', ' and '],
    ['parameters of unknown numbers', 'param', 'microbatches', ' + '],
  ])('%s', (_, key, first, join) => {
    const count = evaluations(doubling(key, first, join), (names, frame) => {
      const code = last(names);
      if (code.kind === 'sequence') expect(code.size(frame)).toBe(2 ** levels);
      else if (code.kind !== 'range') code.at(frame);
    });
    expect(count).toBeGreaterThan(levels);
    expect(count).toBeLessThan(4 * levels);
  });
});

/** What is said of a text; a text without a limit to exceed is as good as any. */
const said = (name: string): readonly string[] =>
  analyse(heavyTexts[name])
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);

describe('texts that ask for too much are refused before it is made', () => {
  test.each([
    ['doubling operations', 'Operations of the rows: more than 1,000,000,000,000,000'],
    ['doubling operations in a pipeline', 'Operations of the rows: more than 1,000,000,000,000,000'],
    ['doubling nothing', 'Operations of the rows'],
    ['doubling nothing in a pipeline', 'Operations of the rows'],
    ['doubling a list of nothing', 'Operations of the rows'],
    ['forty doubling lets', 'Operations of the rows: 1,099,511,627,776'],
    ['doubling numbers', 'Steps of schedule "mine": more than'],
    ['doubling operations of a parameter', 'Steps of schedule "mine": more than'],
    ['doubling repeats', 'Operations of the rows: more than'],
    ['nested loops', 'Operations of the rows: more than'],
    ['loops over nothing', 'Operations of the rows: more than'],
    ['a million chunks', 'Stages of schedule "mine": 1,000,000, over the limit of 20,000'],
    ['a million chunks by rule', 'Stages of schedule "mine": 1,000,000'],
    ['a hundred thousand chunks', 'Stages of schedule "mine": 100,000'],
    ['a hundred thousand chunks by rule', 'Stages of schedule "mine": 100,000'],
    ['a million stages', 'Stages of schedule "mine": 1,000,000'],
    ['a million stages by rule', 'Stages of schedule "mine": 1,000,000'],
    ['a million devices', 'Operations of all shapes of this test: at least 600,000,000'],
    ['a million devices, compared', 'Operations of all shapes of this test: at least 600,000,000'],
    ['a million devices with one microbatch', 'Devices of schedule "mine": 1,000,000'],
    ['a million microbatches, each tested', 'Operations of all shapes of this test: at least 100,001,200'],
    ['sixteen thousand shapes', 'Operations of all shapes of this test: at least 136,323,072'],
    ['a comparison with zb_auto', 'Operations of all shapes of this test'],
  ])('%s', (name, message) => {
    const found = said(name);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('limit/too-large: ');
    expect(found[0]).toContain(message);
  });
});

describe('texts that double what need not be made are as good as any', () => {
  test.each(['doubling unknown numbers', 'doubling comparisons', 'doubling parameters'])('%s', (name) => {
    expect(said(name)).toEqual([]);
  });
});

test('a test ends at the first shape that exceeds a limit', () => {
  const { tests } = analyse(heavyTexts['doubling operations']);
  expect(tests[0].answer.verdicts).toHaveLength(1);
});

test('the orders that a test compares with count, too', () => {
  const text = (check: string): string =>
    `schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\nexpect mine { over(devices = 4, microbatches = 1..4)  ${check} }`;
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 100 } };
  expect(analyse(text('valid'), { options }).findings).toEqual([]);
  expect(analyse(text('order == gpipe'), { options }).findings.map(({ code }) => code)).toEqual(['limit/too-large']);
});

test('a long text counts as often as it is evaluated', () => {
  const long = (times: number): string =>
    `schedule mine { row(d) = each(j in 0..<${times}, F[${'min(j, '.repeat(150)}j${')'.repeat(150)}]), each(j in 0..<${times}, B[j]) }\nexpect mine { over(devices = 1, microbatches = ${times})  valid }`;
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 4_000 } };
  expect(analyse(long(20), { options }).findings).toEqual([]);
  expect(analyse(long(1_000), { options }).findings[0]?.message).toContain('Steps of schedule "mine"');
});

test('a loop whose length is over the limit is not measured to its end', () => {
  const { findings } = analyse(
    'schedule mine { row(d) = each(a in 1..<1000000, each(b in 0..<a, F[b])) }\nexpect mine { valid }\n',
  );
  // 1 + 2 + … + 5657 is the first sum over 16,000,000.
  expect(findings[0].message).toContain('Operations of the rows: at least 16,003,653, over');
});

const nested = (inner: string): string => `${'min(0, '.repeat(150)}${inner}${')'.repeat(150)}`;

test.each([
  ['on', (text: string) => `on(s, j) = ${text} * 0`],
  ['times', (text: string) => `time(F, s, j) = 1ms + ${text} * 0ms`],
])('a long text of `%s` counts for each stage and microbatch', (_, entry) => {
  const said = (microbatches: number): readonly string[] => {
    const text = `schedule mine { ${entry(nested('j'))}  row(d) = F[0..<microbatches], B[0..<microbatches] }\nexpect mine { over(devices = 1, microbatches = ${microbatches})  valid }`;
    const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 100_000 } };
    return analyse(text, { options })
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  };
  expect(said(20)).toEqual([]);
  expect(said(20_000)).toEqual([expect.stringContaining('Steps of schedule "mine"')]);
});
