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

test('stages and routes are planned a few hundred in a step', () => {
  const few = planningSteps(100);
  const many = planningSteps(2_100);
  // 2,000 more stages, and twice as many routes, of each at most 200 in a step.
  expect(many - few).toBeGreaterThanOrEqual(10 + 20 - 1);
});

test('hops are timed from one place in a step', () => {
  // Transfers take longer than the layers, and one link is faster than the others: other places may be better.
  const more = (stages: number) =>
    planningSteps(stages, '  link gpu[0] -- gpu[1] = 50GB/s + 3us') - planningSteps(stages);
  expect(more(60) - more(20)).toBe(60 - 20);
});
