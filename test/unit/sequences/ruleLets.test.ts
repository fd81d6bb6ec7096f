/** `let` over what a device knows while a rule runs: `let room(s) = 4 - held(s)`. */
import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf } from './written.ts';

const rule = (text: string, prefer = 'B, F') =>
  pipelineOf(`schedule mine { order = greedy(prefer = [${prefer}])  ${text} }`);

/** Conditions of the plan, as they are left for the run. */
function conditionsOf(text: string) {
  const { plan, findings } = resolveText(rule(text));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const schedule = plan.pipelines[0]?.schedule;
  if (schedule?.kind !== 'greedy') throw new Error('no rule');
  return schedule.rule?.guards.map(({ operation, stage, condition }) => ({ operation, stage, condition }));
}

describe('a name stands for its text', () => {
  it.each([
    ['let room(s) = stages - s - held(s)  allow(F, s) = room(s) > 0', 'allow(F, s) = stages - s - held(s) > 0'],
    ['let n = held(0)  allow(F, s) = n < 4', 'allow(F, s) = held(0) < 4'],
    ['let n(x) = x  allow(F, s) = n(held(s)) < 4', 'allow(F, s) = held(s) < 4'],
    ['let free(s) = held(s) < 4 or done(F) < 9  allow(F, s) = free(s)', 'allow(F, s) = held(s) < 4 or done(F) < 9'],
    [
      'let more(a, b) = a + 2 * b  allow(F, s) = more(b = held(s), a = s) < more(s, pending(F))',
      'allow(F, s) = s + 2 * held(s) < s + 2 * pending(F)',
    ],
    // The argument of a call may be a call of the same name.
    [
      'let more(a, b) = a + 2 * b  allow(F, s) = more(s, more(s + 1, held(s))) < 9',
      'allow(F, s) = s + 2 * (s + 1 + 2 * held(s)) < 9',
    ],
    [
      'let more(a, b) = a + 2 * b  allow(F, s) = more(more(held(s), s + 1), s) < 9',
      'allow(F, s) = held(s) + 2 * (s + 1) + 2 * s < 9',
    ],
    // The parameter of one name is an argument of the next.
    [
      'let low(x, s) = x < stages - s  let free(s) = low(held(s), s + 0)  allow(F, s) = free(s)',
      'allow(F, s) = held(s) < stages - (s + 0)',
    ],
    [
      'let soon(s) = if(s == 0, next(B, s) <= time(F, s), held(s) < 2)  allow(F, s) = soon(s)',
      'allow(F, s) = if(s == 0, next(B, s) <= time(F, s), held(s) < 2)',
    ],
    [
      'let mem(s) = bytes(s) + activation(s)  allow(F, s) = mem(s) < 4GiB',
      'allow(F, s) = bytes(s) + activation(s) < 4GiB',
    ],
    ['let no = not(held(0) < 4)  allow(F, s) = no', 'allow(F, s) = not(held(0) < 4)'],
  ])('%s', (named, written) => {
    expect(conditionsOf(named)).toEqual(conditionsOf(written));
  });

  it('and gives the order of the built-in that the conditions describe', () => {
    const text = `schedule mine {
  order = greedy(prefer = [B, F])
  let warm(s) = stages - s
  let free(s) = warm(s) - held(s)
  allow(F, s) = free(s) > 0
}
expect mine { over(devices = 1..6, microbatches = 1..12)  valid  order == 1f1b }
`;
    expect(analyse(text).findings).toEqual([]);
    expect(analyse(text).tests[0].answer.compared).toBe(72);
    const less = analyse(text.replace('free(s) > 0', 'free(s) > 1'));
    expect(less.findings[0].code).toBe('schedule/blocked');
  });

  it('also where a schedule is taken over', () => {
    const base =
      'schedule base { order = greedy(prefer = [B, F])  let free(s) = held(s) < 3  allow(F, s) = free(s) }\n';
    const text = `${base}schedule mine { from = base  let free(s) = held(s) < stages - s }
expect mine { over(devices = 1..4, microbatches = 1..8)  order == 1f1b }
expect base { over(devices = 4, microbatches = 8)  in_flight == 3 }
`;
    expect(analyse(text).findings).toEqual([]);
  });
});

describe('mistakes', () => {
  it.each([
    ['let n = held(0)  in_flight(s) = ⟦type/mismatch:n⟧', 'which only a condition of `allow` can use'],
    ['let n(s) = held(s)  in_flight(s) = ⟦type/mismatch:n(s)⟧', 'which only a condition of `allow` can use'],
    ['let n = held(0)  let m = n + 1  in_flight(s) = ⟦type/mismatch:m⟧', 'which only a condition of `allow` can use'],
    ['let n = held(0)  allow(F, s) = ⟦type/mismatch:n⟧', 'a comparison such as `held(s) < 4`'],
    ['let n(s) = held(s)  allow(F, s) = ⟦type/mismatch:n⟧ < 4', '`n(s)`, found 0 arguments'],
    ['let n(s) = held(s)  allow(F, s) = ⟦type/mismatch:n(s, s)⟧ < 4', '`n(s)`, found 2 arguments'],
    ['let n(s) = held(s)  allow(F, s) = ⟦type/mismatch:n(t = 1)⟧ < 4', '`n(s)`, found 1 argument'],
    ['let n = held(0) + ⟦type/dimension:4GiB⟧  allow(F, s) = n < 4', 'a plain number'],
    ['let n = ⟦name/unknown:hold⟧(0)  allow(F, s) = n < 4', 'Did you mean "held"?'],
    ['let n(x) = x  allow(F, s) = n(⟦type/dimension:bytes(s)⟧) < 4', 'plain number'],
    ['let n(x) = held(⟦type/mismatch:x⟧)  allow(F, s) = n(held(s)) < 4', 'which is known before the schedule runs'],
    ['let n = pending(⟦type/mismatch:W⟧)  allow(F, s) = n < 4', '`B` or `F`'],
    ['let n = [F[0]]  allow(F, s) = ⟦type/mismatch:n⟧ < 4', 'Expected a number, found operations'],
  ])('%s', (text, message) => {
    checkFindings(rule(text), [message]);
  });

  it('a row cannot use what only a rule knows', () => {
    checkFindings(
      pipelineOf('schedule mine { let n = held(0)  row(d) = F[0..<⟦type/mismatch:n⟧], B[0..<microbatches] }'),
      ['which only a condition of `allow` can use'],
    );
  });

  it('names that double are refused before they are replaced', () => {
    const doubling = Array.from({ length: 40 }, (_, index) => `let n${index + 1} = n${index} + n${index}`).join('  ');
    const { findings } = resolveText(rule(`let n0 = held(0)  ${doubling}  allow(F, s) = n40 < 4`));
    expect(findings[0].message).toContain('a condition of at most 10,000 parts');
    const calls = Array.from({ length: 40 }, (_, index) => `let n${index + 1}(x) = n${index}(x) + n${index}(x)`).join(
      '  ',
    );
    const second = resolveText(rule(`let n0(x) = x + held(0)  ${calls}  allow(F, s) = n40(held(s)) < 4`));
    expect(second.findings[0].message).toContain('a condition of at most 10,000 parts');
    const nested = 'n('.repeat(30) + 'held(s)' + ')'.repeat(30);
    const third = resolveText(rule(`let n(x) = x + x  allow(F, s) = ${nested} < 4`));
    expect(third.findings[0].message).toContain('a condition of at most 10,000 parts');
  });
});
