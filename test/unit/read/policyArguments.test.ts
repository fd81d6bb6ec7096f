import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (schedule: string, microbatches = 8): string => `device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 100GB/s }
model toy { layer block[4] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
pipeline train { model = toy  devices = box  stages = balance(4)  microbatches = ${microbatches}  schedule = ${schedule} }
`;
const argumentsOf = (schedule: string) => {
  const found = resolveText(text(schedule)).plan.pipelines[0]?.schedule;
  return found?.kind === 'policy' ? found.args : undefined;
};

describe('an argument that is a count or a quantity', () => {
  test.each([
    ['zb_auto', {}],
    ['zb_auto(limit = device)', { limit: 'device' }],
    ['zb_auto(limit = 3)', { limit: 3 }],
    ['zb_auto(limit = 1.5GiB)', { limit: { value: 1.5 * 2 ** 30, dimension: 'bytes' } }],
    ['zb_auto(512MiB)', { limit: { value: 2 ** 29, dimension: 'bytes' } }],
  ])('%s', (schedule, args) => expect(argumentsOf(schedule)).toEqual(args));

  test.each([
    ['zb_auto(limit = ⟦value/range:2.5⟧)', 'a whole number of at least 1'],
    ['zb_auto(limit = ⟦value/range:0⟧)', 'a whole number of at least 1'],
    ['zb_auto(limit = ⟦type/dimension:3ms⟧)', 'Expected bytes, found a time'],
    ['zb_auto(limit = ⟦value/range:-1GiB⟧)', 'at least 0 B'],
  ])('%s', (schedule, message) => void checkFindings(text(schedule), [message]));
});

test('the only word that begins as written is meant', () =>
  void checkFindings(text('search(placement = ⟦name/unknown:v⟧)'), ['Did you mean "v_shape"?']));

test('an argument has a most, too', () =>
  void checkFindings(text('seq1f1b(segments = ⟦value/range:300⟧)'), ['a whole number from 1 to 256']));

test('segments count among the operations that a file may have', () => {
  const found = resolveText(text('seq1f1b(segments = 100)', 32_000)).findings;
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringContaining('25,600,000, over the limit of 16,000,000'),
  ]);
});
