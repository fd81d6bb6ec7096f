import { describe, expect, it } from 'vitest';
import { dataFile } from '../support/data.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { policyPlan } from './plans.ts';

/** Computing operations of PyTorch's own schedules, by rank; blanks are idle slots, names that end in no number are no computing. */
function golden(file: string): readonly (readonly string[])[] {
  return dataFile(`torch/${file}`)
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split(',')
        .filter((cell) => /^\d+[FBIW]\d+$/.test(cell.trim()))
        .map((cell) => cell.trim()),
    );
}

describe('PyTorch 2.14', () => {
  it('orders GPipe as we do', () => {
    expect(namesOf(programFor(policyPlan('gpipe', 4, 8)))).toEqual(golden('torch2141_GPipe_p4_m8_v1_compute.csv'));
  });
  it('orders 1F1B as we do, but for its last rank, which names a microbatch that is not there', () => {
    const theirs = golden('torch2141_1F1B_p4_m8_v1_compute.csv');
    expect(theirs[3]).toContain('3F8');
    expect(namesOf(programFor(policyPlan('1f1b', 4, 8))).slice(0, 3)).toEqual(theirs.slice(0, 3));
  });
  it('orders Interleaved1F1B as we do', () => {
    const ours = namesOf(programFor(policyPlan('interleaved_1f1b', 4, 8, { v: 2 })));
    expect(ours).toEqual(golden('torch2141_Interleaved1F1B_p4_m8_v2_compute.csv'));
  });
});
