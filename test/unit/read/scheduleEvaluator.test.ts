/** A schedule for whoever may not see its text: data, and answers as data. */
import { describe, expect, test } from 'vitest';
import type { ScheduleDefinition } from '../../../engine/definitions/schedule.ts';
import { scheduleEvaluator } from '../../../engine/read/scheduleEvaluator.ts';
import { declaredIn } from '../sequences/sameOrder.ts';

function definitionOf(text: string): ScheduleDefinition {
  const { value } = scheduleEvaluator.bind(declaredIn(`schedule own { ${text} }`, 'own'), {});
  if (value === undefined) throw new Error('the schedule has errors');
  return value;
}

const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';

describe.each([
  ['rows', `param k = 2 in 1..4  require k < stages  time(F, s, j) = 2 * time(F, s)  forward_only(s) = s < 1  ${rows}`],
  ['places', `on(s, j) = s  stages = devices  home(s) = s  ${rows}`],
  ['a rule', 'order = greedy(prefer = [B, F])  in_flight(s) = stages - s  allow(F, s) = held(s) < 4'],
  ['slots', 'period = 3  slot(F, s) = s  slot(I, s) = s + 1 + 6 * (devices - s)  slot(W) = free  backward = split'],
])('%s', (_, text) => {
  test('are plain data but for the code', () => {
    const { code, ...data } = definitionOf(text);
    expect(code).toBeDefined();
    expect(structuredClone(data)).toEqual(data);
  });

  test('are the same for the same arguments', () => {
    const [{ code: one, ...first }, { code: other, ...second }] = [definitionOf(text), definitionOf(text)];
    expect(first).toEqual(second);
    expect(one).not.toBe(other);
  });
});

test('a question finds the same each time, and each answer has its own findings', () => {
  const definition = definitionOf(`on(s, j) = s - 1 + 0 * microbatches  stages = devices - 4  ${rows}`);
  const ask = () => scheduleEvaluator.stages(definition, 4);
  const [first, second] = [ask(), ask()];
  expect(first.value).toBeUndefined();
  expect(first.findings.map(({ code }) => code)).toEqual(['value/range']);
  expect(second).toEqual(first);
  expect(second.findings).not.toBe(first.findings);
});
