/** `message_overhead`: devices are busy with each message that they send or receive. */
import { describe, expect, test } from 'vitest';
import { withoutOverhead } from '../../../engine/basics/messageOverhead.ts';
import { analyse, runOf } from '../../support/analyse.ts';

const file = (more: string, schedule = '1f1b', stages = 4, devices = 4): string => `model m {
  layer l[${stages}] { forward = 4ms  backward_input = 5ms  backward_weight = 3ms }
}
device d { memory = 16GiB }
cluster c { gpu[${devices}] = d  link = 1GB/s }
pipeline t { model = m  devices = c  microbatches = 8  stages = balance(${stages})  schedule = ${schedule}  ${more} }
`;
const stagesOf = (text: string) =>
  runOf(text).plan.stages.map(({ forward, backwardInput, backwardWeight }) =>
    [forward, backwardInput, backwardWeight].map((seconds) => Math.round(seconds * 1e6)),
  );

test('each stage has one message there and one back for each neighbour on another device', () => {
  expect(stagesOf(file('message_overhead = 100us'))).toEqual([
    [4100, 5100, 3000],
    [4200, 5200, 3000],
    [4200, 5200, 3000],
    [4100, 5100, 3000],
  ]);
});

test('neighbours on one device send each other nothing', () => {
  expect(stagesOf(file('message_overhead = 100us', 'zb_v', 4, 2))).toEqual([
    [4100, 5100, 3000],
    [4100, 5100, 3000],
    [4100, 5100, 3000],
    [4100, 5100, 3000],
  ]);
});

test('two stages with t for each message take (m + p − 1) · (F + B + 2 t)', () => {
  const { report } = runOf(file('message_overhead = 0.5ms', '1f1b', 2, 2)).run;
  expect(report.iteration).toBeCloseTo((8 + 2 - 1) * (0.004 + 0.008 + 2 * 0.0005), 9);
});

test('0 is as without the key, and what is taken off again leaves the plan without it', () => {
  expect(runOf(file('message_overhead = 0us')).plan).toEqual(runOf(file('')).plan);
  for (const more of ['', 'tokens(i) = 256 * (i + 1)']) {
    const shape = (text: string): string =>
      more === ''
        ? text
        : text
            .replace('model m {', 'import { h100 } from "std:hardware"\nmodel m { sequence = 2048  micro_batch = 1 ')
            .replace('device d { memory = 16GiB }', 'device d { from = h100 }')
            .replace(/layer l\[4\] \{.*\}/, 'layer l[4] { shape = transformer(hidden = 1024, heads = 8) }');
    const [bare, plain] = [`${more}  message_overhead = 100us`, more].map((keys) => runOf(shape(file(keys))).plan);
    const taken = JSON.stringify(withoutOverhead(bare), (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toFixed(12)) : value,
    );
    expect(JSON.parse(taken)).toEqual(
      JSON.parse(
        JSON.stringify(plain, (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(12)) : value)),
      ),
    );
  }
});

describe('is a time of at least 0', () => {
  test.each(['-1us', '3', '5%'])('%s is refused', (value) => {
    const errors = analyse(file(`message_overhead = ${value}`)).findings.filter(({ severity }) => severity === 'error');
    expect(errors).toHaveLength(1);
  });
});
