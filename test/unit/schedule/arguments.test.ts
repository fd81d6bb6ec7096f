/** Whole numbers as arguments of policies, from none to far too many: each is refused where it is written, or runs. */
import { describe, expect, test } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import type { Policy, PolicyParameter } from '../../../engine/policies/policy.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { analyse } from '../../support/analyse.ts';

const values = ['0', '-1', '1', '1.5', '2', `${2 ** 31 - 1}`, `${2 ** 31}`, `${2 ** 32}`, '1e12', '1e300'];

/** As many stages as the policy would like of these arguments, where there are layers for them. */
const stagesOf = (policy: Policy, name: string, value: number): number => {
  const stages = 4 * policy.chunks({ [name]: value });
  return stages >= 1 && stages <= 16 ? stages : 8;
};

const textOf = (policy: Policy, name: string, value: string): string => `device gpu { memory = 64GiB }
cluster box { gpu[4] = gpu  link = 25GB/s + 1us }
model net {
  layer l[16] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  weights = 1MiB  activation = 1MiB  output = 1KiB }
}
pipeline train {
  model = net  devices = box  microbatches = 8
  ${policy.loading === undefined ? `stages = balance(${stagesOf(policy, name, Number(value))})` : ''}
  schedule = ${policy.name}(${name} = ${value})
  ${(policy.weights?.({}) ?? 'flush') === 'flush' ? '' : 'iterations = 6'}
}
`;

const integers: readonly (readonly [Policy, PolicyParameter])[] = policies.flatMap((policy) =>
  policy.parameters.flatMap((parameter) =>
    parameter.kind === 'integer' || parameter.kind === 'integers' ? [[policy, parameter] as const] : [],
  ),
);

/** The paths of numbers in a report that are none. */
function notFinite(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => notFinite(item, `${path}.${name}`));
}

/** What a text gives: `ran` or the codes of its errors. Whatever it says has no NaN in it and lies in the text. */
function outcome(text: string): string {
  const { findings, pipelines } = analyse(text);
  for (const { message, place } of findings) {
    expect(message).not.toMatch(/NaN|undefined/);
    expect(place.start).toBeLessThan(place.end);
  }
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return [...new Set(errors.map(({ code }) => code))].join(' ');
  const [{ plan, run }] = pipelines;
  expect(run).toBeDefined();
  expect(notFinite(run?.report)).toEqual([]);
  const generated = generate(plan);
  expect('program' in generated && validate(generated.program, plan)).toEqual([]);
  return 'ran';
}

describe.each(integers.map((integer) => [`${integer[0].name}(${integer[1].name})`, ...integer] as const))(
  '%s',
  (_, policy, parameter) => {
    test.each(values)('of %s runs or is refused', (value) => {
      const found = outcome(textOf(policy, parameter.name, value));
      const number = Number(value);
      if (!Number.isInteger(number) || number < (parameter.min ?? 0) || number >= 2 ** 31)
        expect(found).toBe('value/range');
      if (parameter.kind === 'integers') outcome(textOf(policy, parameter.name, `[${value}, ${value}, 2, 1]`));
    });
  },
);

test('the finding gives the range', () => {
  const pipedream = policies.filter(({ name }) => name === 'pipedream');
  const [text] = pipedream.map((policy) => textOf(policy, 'in_flight', `${2 ** 31}`));
  const { findings } = analyse(text);
  expect(findings.map(({ message }) => message)).toEqual([
    '"in_flight" is 2147483648; it must be a whole number from 1 to 2147483647.',
  ]);
});

test('a number that is too small is not compared with the largest', () => {
  const pipedream = policies.filter(({ name }) => name === 'pipedream');
  const [text] = pipedream.map((policy) => textOf(policy, 'in_flight', '-2'));
  expect(analyse(text).findings.map(({ message }) => message)).toEqual([
    '"in_flight" is −2; it must be a whole number of at least 1.',
  ]);
});

test('replicas do not multiply the largest number in flight past what counts hold', () => {
  const text = `device gpu { memory = 64GiB }
cluster box { gpu[6] = gpu  link = 25GB/s + 1us }
model net { layer l[4] { forward = 1ms  backward = 2ms  weights = 1MiB  activation = 1MiB  output = 1KiB } }
pipeline train {
  model = net  devices = box  microbatches = 1  iterations = 12
  stage a { layers = l[0]  on = gpu[0..2]  replicate = round_robin }
  stage b { layers = l[1]  on = gpu[3] }
  stage c { layers = l[2]  on = gpu[4] }
  stage d { layers = l[3]  on = gpu[5] }
  schedule = pipedream(in_flight = ${2 ** 31 - 1})
}
`;
  expect(outcome(text)).toBe('ran');
});
