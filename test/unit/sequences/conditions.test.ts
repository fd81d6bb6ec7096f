import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/parse.ts';
import type { Expression } from '../../../grammar/syntax.ts';
import { analyse } from '../../support/analyse.ts';
import { namesOf, programFor } from '../schedule/bruteForce.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf, written } from './written.ts';

/** The tree with a bracket for each operator. */
function shown(node: Expression): string {
  if (node.kind === 'binary') return `(${shown(node.left)} ${node.operator} ${shown(node.right)})`;
  if (node.kind === 'group') return shown(node.inner);
  if (node.kind === 'quantity') return String(node.value);
  if (node.kind === 'call') return `${node.callee.text}(${node.arguments.map(({ value }) => shown(value)).join(', ')})`;
  return node.kind === 'name' ? node.text : node.kind;
}
function treeOf(text: string): string {
  const { declarations, errors } = parse(`let x = ${text}`);
  const [declaration] = declarations;
  if (errors.length > 0 || declaration.kind !== 'let' || declaration.value === undefined) return 'wrong';
  return shown(declaration.value);
}

describe('and, or', () => {
  it('bind more loosely than comparisons, and `and` more tightly than `or`', () => {
    expect(treeOf('a < 1 and b + 1 < 2 or c == 3')).toBe('(((a < 1) and ((b + 1) < 2)) or (c == 3))');
    expect(treeOf('a < 1 or b < 2 and c < 3')).toBe('((a < 1) or ((b < 2) and (c < 3)))');
    expect(treeOf('a < 1 and (b < 2 or c < 3) and not(d < 4)')).toBe(
      '(((a < 1) and ((b < 2) or (c < 3))) and not((d < 4)))',
    );
  });
  it('are names in other places', () => {
    const text = 'schedule s {\n  let and = 1\n  let or(and) = and + 1\n  row(d) = F[and], B[or(and)]\n}\n';
    expect(parse(text).errors).toEqual([]);
    // The key of the next entry is no operator.
    expect(parse('device d { memory = 1GiB and = 2 or(x) = 3 }').errors).toEqual([]);
  });
});

const messages = (schedule: string, shape: Parameters<typeof pipelineOf>[1] = {}): readonly string[] =>
  resolveText(pipelineOf(`schedule mine { ${schedule} row(d) = F[0..<microbatches], B[0..<microbatches] }`, shape))
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

describe('conditions of a schedule', () => {
  it('may join comparisons in `require`', () => {
    const condition = 'require mod(microbatches, 2) == 0 and microbatches >= 4 or not(devices > 1)';
    expect(messages(condition, { microbatches: 4 })).toEqual([]);
    expect(messages(condition, { microbatches: 3, devices: 1 })).toEqual([]);
    expect(messages(condition, { microbatches: 2 })).toEqual([expect.stringContaining('nearest microbatches: 4')]);
    expect(messages(condition, { microbatches: 5 })).toEqual([expect.stringContaining('it requires')]);
  });
  it('may join comparisons in `if`, and look at the second only if the first does not decide', () => {
    const row = (items: string): string => written(pipelineOf(`schedule mine { row(d) = ${items} }`))[0];
    const all = 'F[0..3], B[0..3]';
    const other = 'F[0..3], B[3..0 step -1]';
    expect(row(`if(d == 0 and stages == 2, [${all}], [${other}])`)).toBe(row(all));
    expect(row(`if(d > 0 or stages == 3, [${all}], [${other}])`)).toBe(row(other));
    expect(row(`if(not(d > 0 or stages == 3), [${all}], [${other}])`)).toBe(row(all));
    expect(row(`if(d > 0 and 1 / d > 0, [${other}], [${all}])`)).toBe(row(all));
    expect(row(`if(d == 0 or 1 / d > 0, [${all}], [${other}])`)).toBe(row(all));
  });
  it('take comparisons, not numbers', () => {
    expect(messages('require microbatches and devices')).toEqual([
      'Expected a comparison, found a number.',
      'Expected a comparison, found a number.',
    ]);
    expect(messages('require not(microbatches)')).toEqual(['Expected a comparison, found a number.']);
    expect(messages('let n = (1 < 2 and 3) + 1  require n > 1')).toEqual(['Expected a comparison, found a number.']);
  });
});

describe('conditions of a rule', () => {
  const orderOf = (allow: string): readonly (readonly string[])[] => {
    const text = pipelineOf(`schedule mine { order = greedy(prefer = [B, F])  ${allow} }`, {
      devices: 3,
      microbatches: 6,
    });
    const [plan] = resolveText(text).plan.pipelines;
    if (plan === undefined) throw new Error('no plan');
    return namesOf(programFor(plan));
  };
  it('joined by `and` are conditions with a comma', () => {
    expect(orderOf('allow(F, s) = held(s) < 3 and done(F) < done(B) + 2')).toEqual(
      orderOf('allow(F, s) = held(s) < 3, done(F) < done(B) + 2'),
    );
  });
  it('joined by `or`, and their opposites', () => {
    expect(orderOf('allow(F, s) = held(s) < 2 or held(s) < 3')).toEqual(orderOf('allow(F, s) = held(s) < 3'));
    expect(orderOf('allow(F, s) = not(held(s) >= 3)')).toEqual(orderOf('allow(F, s) = held(s) < 3'));
    expect(orderOf('allow(F, s) = not(held(s) >= 3 or held(s) >= 2)')).toEqual(orderOf('allow(F, s) = held(s) < 2'));
    expect(orderOf('allow(F, s) = if(s == 0 and held(s) > 0, held(s) < 2, held(s) < 3)')).toEqual(
      orderOf('allow(F, 0) = held(0) < 2  allow(F, 1) = held(1) < 3  allow(F, 2) = held(2) < 3'),
    );
  });
  it('are looked at again when a comparison in them turns', () => {
    const first = (allow: string): string => {
      const text = pipelineOf(`schedule mine { order = greedy(prefer = [B, F])  ${allow} }`, { microbatches: 3 });
      const [plan] = resolveText(text).plan.pipelines;
      return plan === undefined ? '' : namesOf(programFor(plan))[0].join(' ');
    };
    // Stage 0 runs two forwards until 8 ms. B0 of stage 1 ends at 16 ms, so 3 ms before that a third forward may start.
    const early = '0F0 0F1 0F2 0B0 0B1 0B2';
    expect(first('allow(F, 0) = held(0) < 2 or next(B, 0) <= 3ms')).toBe(early);
    expect(first('allow(F, 0) = not(held(0) >= 2 and next(B, 0) > 3ms)')).toBe(early);
    expect(first('allow(F, 0) = if(held(0) < 2, 1 < 2, next(B, 0) <= 3ms)')).toBe(early);
    expect(first('allow(F, 0) = held(0) < 2')).toBe('0F0 0F1 0B0 0F2 0B1 0B2');
  });
});

describe('expectations', () => {
  const codes = (expectation: string): readonly string[] =>
    analyse(pipelineOf('schedule mine { row(d) = F[0..3], B[0..3] }') + expectation).findings.flatMap(
      ({ code, message }) => (code.startsWith('expect') || code.startsWith('type') ? [message] : []),
    );
  it('joined by `and` are one each', () => {
    expect(codes('expect train { bubble < 90% and iteration < 1s }')).toEqual([]);
    expect(codes('expect train { bubble < 1% and iteration < 1s and in_flight(device = 0) < 2 }')).toEqual([
      expect.stringMatching(/bubble < 1%/),
      expect.stringMatching(/in_flight\(device = 0\) < 2/),
    ]);
    expect(codes('expect train { bubble < 1% or iteration < 1s }')).toEqual([
      'Expected a comparison such as `bubble < 30%`, or several with `and` between them, found `or`.',
    ]);
  });
  it('of a schedule may be joined, too', () => {
    const test = (checks: string): readonly string[] =>
      analyse(`schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }
expect mine { over(devices = 1..2, microbatches = 1..3)  ${checks} }`).findings.map(({ code }) => code);
    expect(test('valid and in_flight <= microbatches and order == gpipe')).toEqual([]);
    expect(test('valid and in_flight < microbatches')).toEqual(['expect/failed']);
    expect(test('valid or in_flight < microbatches')).toEqual(['type/mismatch']);
  });
});
