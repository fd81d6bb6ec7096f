import { describe, expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';
import { checkFindings } from '../../support/expected.ts';
import { pipelineOf } from './written.ts';

const rule = (text: string, prefer = 'B, F') =>
  pipelineOf(`schedule mine { order = greedy(prefer = [${prefer}])  ${text} }`);
const found = (text: string, messages: readonly string[] = [], prefer?: string) =>
  checkFindings(rule(text, prefer), messages);

/** The rule of the plan. */
function ruleOf(text: string, prefer?: string) {
  const [pipeline] = resolveText(rule(text, prefer)).plan.pipelines;
  const schedule = pipeline?.schedule;
  if (schedule?.kind !== 'greedy') throw new Error('no rule');
  return schedule.rule;
}

describe('what is no condition', () => {
  it.each([
    ['allow(F, s) = ⟦type/mismatch:held(s)⟧', 'a comparison such as `held(s) < 4`'],
    ['allow(F, s) = held(s) < ⟦type/dimension:4GiB⟧', 'a plain number'],
    ['allow(F, s) = bytes(s) + ⟦type/dimension:4⟧ < 4GiB', 'bytes, found a plain number'],
    ['allow(F, s) = ⟦name/unknown:hold⟧(s) < 4', 'Did you mean "held"?'],
    ['allow(F, s) = held(⟦name/unknown:t⟧) < 4', 't'],
    ['allow(F, s) = held(⟦value/range:stages⟧) < 4', 'The stage is'],
    ['allow(F, s) = ⟦type/mismatch:held()⟧ < 4', 'held with 1 argument'],
    ['allow(F, s) = held(⟦type/mismatch:held(s)⟧) < 4', 'which is known before the schedule runs'],
    ['allow(F, s) = pending(⟦type/mismatch:W⟧) < 4', '`B` or `F`'],
    ['allow(F, s) = next(⟦name/unknown:X⟧, s) < 4ms', ''],
    ['allow(⟦type/mismatch:R⟧, s) = held(s) < 4', 'an operation that `prefer` lists: `B`, `F`'],
    ['allow(⟦name/unknown:X⟧, s) = held(s) < 4', ''],
    ['⟦type/mismatch:allow⟧(F) = held(0) < 4', 'as `allow(F, s)`'],
    ['allow(F, ⟦value/range:stages + 0⟧) = held(0) < 4', 'The stage is'],
    ['in_flight(s) = ⟦name/unknown:held⟧(s)', ''],
    ['prefer(d) = ⟦type/mismatch:[B]⟧', 'each of `B`, `F` once'],
    ['prefer(d) = [B, ⟦name/unknown:X⟧]', ''],
    ['prefer(⟦value/range:devices + 0⟧) = [F, B]', 'The device is'],
    ['ties = ⟦name/unknown:newest⟧', ''],
    ['limit = ⟦type/dimension:4⟧', 'bytes, found a plain number'],
    ['limit = ⟦value/range:0GiB⟧', 'more than 0 bytes'],
    ['weights = stash  ⟦key/not-applicable:limit⟧ = 4GiB', 'versions of weights'],
  ])('%s', (text, message) => {
    found(text, [message]);
  });
  it('keys of a rule have no effect on rows', () => {
    checkFindings(
      pipelineOf(
        'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches]  ⟦key/not-applicable:ties⟧ = deepest  ⟦key/not-applicable:limit⟧ = 4GiB  ⟦key/not-applicable:allow⟧(F, s) = held(s) < 2  ⟦key/not-applicable:prefer⟧(d) = [B, F] }',
      ),
      ['the rows decide', 'the rows decide', 'the rows decide', 'the rows decide'],
    );
  });
});

describe('a rule of a plan', () => {
  it('is absent where only `prefer` and `in_flight` decide', () => {
    expect(ruleOf('in_flight(s) = stages - s')).toBeUndefined();
    expect(ruleOf('ties = oldest')).toBeUndefined();
  });
  it('has the numbers of the pipeline filled in', () => {
    const made = ruleOf('param more = 1 in 0..9  let most(x) = stages - x + more  allow(F, s) = held(s) < most(s)');
    expect(made?.guards.map(({ condition }) => condition)).toEqual(
      made?.guards.map((_, stage, { length }) => ({ apply: '<', to: [{ read: 'held', stage }, length - stage + 1] })),
    );
  });
  it('leaves out what always holds, and R where it never does', () => {
    const made = ruleOf('allow(R, s) = s < stages - 1, s >= 0', 'B, R, F');
    expect(made?.guards).toEqual([]);
    expect(made?.recomputes?.at(-1)).toBe(false);
    expect(made?.recomputes?.slice(0, -1).every(Boolean)).toBe(true);
  });
  it('prefers by device: one of them before all of them', () => {
    const made = ruleOf('prefer(0) = [F, B]  prefer(d) = [B, F]');
    expect(made?.prefer.map((letters) => letters.join(''))).toEqual([
      'FB',
      ...(made?.prefer.slice(1).map(() => 'BF') ?? []),
    ]);
    expect(ruleOf('prefer(devices - 1) = [F, B]')?.prefer.at(-1)).toEqual(['F', 'B']);
  });
  it('has a limit for each device', () => {
    const made = ruleOf('limit(d) = if(d == 0, 4GiB, 8GiB)');
    expect(made?.limit[0]).toBe(4 * 2 ** 30);
    expect(made?.limit.slice(1).every((limit) => limit === 8 * 2 ** 30)).toBe(true);
  });
});
