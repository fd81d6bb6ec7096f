import { expect, test } from 'vitest';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { sweepCase } from './sweepCase.ts';

const GiB = 2 ** 30;

// Every device has 1 GiB of weights, 1 GiB of gradients, and 1 GiB for each microbatch in flight.
const text = `device card { memory = 64GiB }
cluster box { gpu[4] = card  link = 100GB/s }
model even { layer l[4] { forward = 1ms  backward = 2ms  weights = 1GiB  activation = 1GiB } }
pipeline train { model = even  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b }
`;

test('a row is dropped for its memory: of weights, gradients and a microbatch, which only devices that never evict surely hold', () => {
  const { base, axes } = sweepCase('schedule = [1f1b, bpipe]', { text });
  const kinds = (peak: number) =>
    [0, 1].map((row) => outcomeOf(base, axes, row, [{ iteration: 1e-6, peak: peak * GiB }]).kind);
  // A row that is faster and needs this much is better than one with a higher bound.
  expect(kinds(1.9)).toEqual(['dropped', 'dropped']);
  expect(kinds(2.5)).toEqual(['dropped', 'ran']);
  // The first device of 1F1B holds four microbatches by its order, whatever the times are.
  expect(kinds(5.9)).toEqual(['dropped', 'ran']);
  expect(kinds(6.1)).toEqual(['ran', 'ran']);
});

test('no row is dropped for one that is no better', () => {
  const schedules = ['1f1b', 'bpipe', 'gpipe', 'zb_h1'];
  const { base, axes } = sweepCase(`schedule = [${schedules.join()}]`, { text });
  for (const row of schedules.keys()) {
    const alone = outcomeOf(base, axes, row, []);
    if (alone.kind !== 'ran') throw new Error(alone.kind);
    const { iteration, peak } = alone.figures;
    for (const front of [
      { iteration: iteration * 1.0001, peak: 0 },
      { iteration: 0, peak: peak * 1.0001 },
    ])
      expect(outcomeOf(base, axes, row, [front]).kind).toBe('ran');
  }
});

test('a row whose order needs more than a device has is not timed', () => {
  const { base, axes } = sweepCase('schedule = [1f1b, gpipe]', { text: text.replace('64GiB', '7GiB') });
  const [fits, full] = [0, 1].map((row) => outcomeOf(base, axes, row, []));
  expect(fits.kind).toBe('ran');
  // GPipe holds all eight microbatches.
  expect(full).toMatchObject({ kind: 'full', peak: 10 * GiB });
});
