import { expect, test } from 'vitest';
import { resolveText } from '../../../support/resolve.ts';

const iterationsOf = (stages: number, microbatches: number, line = ''): number | undefined =>
  resolveText(`device d { memory = 16GiB }
cluster c { gpu[${stages}] = d  link = 25GB/s }
model m { layer a[${stages}] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = c  microbatches = ${microbatches}  stages = balance(${stages})  schedule = pipedream  ${line} }
`).plan.pipelines[0]?.iterations;

test('an asynchronous pipeline runs 8 iterations for each time that its stages are filled, and 16 at least', () => {
  expect(iterationsOf(8, 1)).toBe(64);
  expect(iterationsOf(8, 3)).toBe(24);
  expect(iterationsOf(2, 1)).toBe(16);
  expect(iterationsOf(2, 8)).toBe(16);
  expect(iterationsOf(8, 1, 'iterations = 5')).toBe(5);
});
