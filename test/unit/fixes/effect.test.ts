/** The words of an effect, from figures alone. */
import { expect, test } from 'vitest';
import { effectWords, type Figures } from '../../../engine/fixes/effect.ts';

const GiB = 2 ** 30;
const before: Figures = {
  iteration: 1,
  throughput: 8,
  bubble: 0.25,
  device: 'gpu[0]',
  peak: 10 * GiB,
  capacity: 16 * GiB,
  fits: true,
};
/** The same batch, in `iteration` seconds. */
const after = (change: Partial<Figures>): Figures => ({
  ...before,
  ...change,
  throughput: 8 / (change.iteration ?? before.iteration),
});
const words = (change: Partial<Figures>) => effectWords({ pipeline: 'train', before, after: after(change) }, 'time');

test('changes under half a tenth of a percent are none, larger ones are stated', () => {
  expect(words({ iteration: 1.0004 })).toBe('same iteration, peak unchanged');
  expect(words({ iteration: 1.001, peak: 10.01 * GiB })).toBe('iteration +0.1 %, peak +0.1 %');
  expect(words({ iteration: 0.999, peak: 9.99 * GiB })).toBe('iteration −0.1 %, peak −0.1 %');
});

test('a plan that does not fit says by how much, and on which device if that is another one than the peak', () => {
  const over = { device: 'gpu[0]', bytes: GiB };
  const elsewhere = { fits: false, over: { device: 'gpu[2]', bytes: 3 * GiB } };
  expect(words({ peak: 17 * GiB, fits: false, over })).toBe('same iteration, peak +70 %, 1 GiB over');
  expect(words(elsewhere)).toBe('same iteration, peak unchanged, gpu[2] 3 GiB over');
  const fresh = effectWords({ pipeline: 'train', after: after({ peak: 17 * GiB, fits: false, over }) }, 'time');
  expect(fresh).toBe('iteration 1 s, bubble 25 %, peak 17 GiB, 1 GiB over');
  const full = { ...before, ...elsewhere };
  const still = effectWords({ pipeline: 'train', before: full, after: { ...full, peak: 9 * GiB } }, 'memory');
  expect(still).toBe('peak 9 GiB, same iteration, gpu[2] still 3 GiB over');
  const fullest = { ...full, device: 'gpu[2]', peak: 19 * GiB };
  const named = effectWords({ pipeline: 'train', before: full, after: fullest }, 'memory');
  expect(named).toBe('peak 19 GiB, same iteration, gpu[2] still 3 GiB over');
});

test('a file that says nothing of memory has no peak', () => {
  expect(effectWords({ pipeline: 'train', after: after({ peak: 0 }) }, 'time')).toBe('iteration 1 s, bubble 25 %');
});

test('an iteration has the digits of the preview', () => {
  expect(effectWords({ pipeline: 'train', after: after({ iteration: 0.20008 }) }, 'time')).toMatch(
    /^iteration 200\.1 ms,/,
  );
});

test('a change of the batch is told by the throughput and both batches', () => {
  const changed = effectWords({ pipeline: 'train', before, after: { ...before, throughput: 16 } }, 'memory');
  expect(changed).toBe('peak 10 GiB, throughput +100 %, batch 8 → 16');
});

test('what is left is said where it is under the margin, unless no more was left before', () => {
  const tight = { peak: 15.5 * GiB, left: GiB / 2 };
  expect(words(tight)).toBe('same iteration, peak +55 %, only 512 MiB left');
  expect(words({ ...tight, peak: 16 * GiB, left: 0 })).toBe('same iteration, peak +60 %, nothing left');
  const still = (peak: number) =>
    effectWords(
      { pipeline: 'train', before: { ...before, ...tight }, after: after({ peak, left: 16 * GiB - peak }) },
      'memory',
    );
  expect(still(15.25 * GiB)).toBe('peak 15.3 GiB, same iteration');
  expect(still(15.75 * GiB)).toBe('peak 15.8 GiB, same iteration, only 256 MiB left');
});
