/** Files of other formats that ask for more than they have room to say. */
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { readProfile } from '../../../engine/formats/profile.ts';

const script = (variables: string, more = ''): string =>
  `${variables}\npython pretrain_gpt.py --num-layers 8 --pipeline-model-parallel-size 4 ${more}\n`;
const faultsOf = (text: string) => {
  const found = importText(text);
  return found !== undefined && 'faults' in found ? found.faults : [];
};
const doubling = (count: number): string =>
  Array.from({ length: count }, (_, index) => `V${index + 1}=$V${index}$V${index}`)
    .toSpliced(0, 0, 'V0=ab')
    .join('\n');

describe('variables of a script', () => {
  test('that double are refused at the first that is too long', () => {
    const text = script(doubling(60));
    const [fault, ...others] = faultsOf(text);
    expect(others).toEqual([]);
    expect(fault.message).toContain('add more than 1,000,000 characters');
    // V1 adds 4 characters and each next one twice as many: 2^(k + 2) − 4 up to Vk, over a million with V18.
    expect(text.slice(fault.start, fault.end)).toBe('V18=$V17$V17');
  });
  test('that are long in the arguments are refused there', () => {
    const text = script(doubling(15), `--seq-length ${'$V15'.repeat(40)}`);
    const [fault] = faultsOf(text);
    expect(text.slice(fault.start, fault.end)).toBe('$V15'.repeat(40));
  });
  test('are replaced as long as they are short', () => {
    expect(faultsOf(script(doubling(10)))).toEqual([]);
  });
});

const profile = (forward: string): string =>
  `node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=0.0, parameter_size=0.000
node2 -- Linear -- forward_compute_time=${forward}, backward_compute_time=2.000, activation_size=10.0, parameter_size=20.000
\tnode1 -- node2
`;

describe('a profile', () => {
  test('with a figure that cannot be computed with is refused at its layer', () => {
    const text = profile('1e308');
    const read = readProfile(text);
    const faults = 'faults' in read ? read.faults : [];
    expect(faults).toHaveLength(1);
    expect(text.slice(faults[0].start, faults[0].end)).toContain('1e308');
    expect(faults[0].message).toContain('at most 1e+24');
  });
  test('with a figure that is just large is read', () => {
    expect('layers' in readProfile(profile('1e20'))).toBe(true);
  });
});
