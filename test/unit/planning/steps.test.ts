import { expect, test } from 'vitest';
import { checkSteps } from '../../../engine/flow/check.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { noSearches } from '../../../engine/basics/searches.ts';
import { hostOf, uri } from '../../support/host.ts';

/** Steps of planning a pipeline of so many stages. `links`: further links of its cluster. */
function planningSteps(stages: number, links = ''): number {
  const text = `model m { layer block[${stages}] { forward = 4ms  backward = 8ms  weights = 2MiB  activation = 1MiB  output = 200MB } }
device d { memory = 80GiB }
cluster c { gpu[${stages}] = d  link = 25GB/s + 5us${links} }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(${stages})  schedule = 1f1b }
`;
  let count = 0;
  for (const step of checkSteps({ uri, text, host: hostOf(), options: defaultOptions, searches: noSearches })) {
    // What is known before answers come; the check would ask again for ever.
    if (typeof step !== 'string') break;
    if (step === 'planning') count += 1;
  }
  return count;
}

test('stages and routes are planned a few in a step', () => {
  const few = planningSteps(100);
  const many = planningSteps(2_100);
  // 2,000 more stages, of which at most 8 are in a step, and twice as many routes, of which their transfers are looked at twice, 4 in a
  // step, and at most 200 are drawn in one.
  expect(many - few).toBeGreaterThanOrEqual(250 + 2 * 1_000 + 20 - 3);
});

test('hops are timed sixteen in a step', () => {
  // Transfers take longer than the layers, and one link is faster than the others: other places may be better.
  const more = (stages: number) =>
    planningSteps(stages, '  link gpu[0] -- gpu[1] = 50GB/s + 3us') - planningSteps(stages);
  expect(more(60) - more(20)).toBe((60 ** 2 - 20 ** 2) / 16);
});

test('what expert ranks send is counted from one rank in a step', () => {
  const steps = (expert: number): number => {
    const text = `model m { sequence = 128  micro_batch = 1
  layer block[2] = transformer(hidden = 64, heads = 4, ffn = 128, experts = 64, experts_per_token = 2) }
device d { memory = 80GiB  compute = 1TFLOPS  bandwidth = 1TB/s }
cluster c { node[16] { gpu[8] = d  link = 400GB/s + 3us }  link = 25GB/s + 5us }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(2)  data = 64  expert = ${expert}  schedule = 1f1b }
`;
    const all = checkSteps({ uri, text, host: hostOf(), options: defaultOptions, searches: noSearches });
    let count = 0;
    for (const step of all) {
      if (typeof step !== 'string') break;
      if (step === 'planning') count += 1;
    }
    return count;
  };
  // Two stages of 64 devices each.
  expect(steps(64) - steps(1)).toBeGreaterThanOrEqual(2 * 64 - 1);
});
