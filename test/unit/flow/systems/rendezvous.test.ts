import { expect, test } from 'vitest';
import { exampleText } from '../../../support/example.ts';
import { systemReport } from './system.ts';
import { analyse } from '../../../support/analyse.ts';

// Four layers of 4 ms and 8 ms on each of two devices, transfers of 1 ms.
const [F, B, c] = [0.016, 0.032, 0.001];

test.each([1, 2, 8, 64])('%i microbatches meet the closed forms for two devices', (m) => {
  const iteration = (pipeline: string) => systemReport('rendezvous', pipeline, { microbatches: m }).iteration;
  // Beside the work: half a round trip for each microbatch (Alpa's form, p = 2, even m), or one way down and up.
  if (m % 2 === 0) expect(iteration('buffered')).toBeCloseTo((m + 1) * (F + B) + m * c, 9);
  // A batch costs both devices c: one before the first backward of each microbatch, and the first on its way down.
  expect(iteration('batched')).toBeCloseTo((m + 1) * (F + B + c), 9);
  // Every microbatch costs both devices c on its way down and again on its way up.
  expect(iteration('one_way')).toBeCloseTo((m + 1) * (F + B) + 2 * m * c, 9);
});

test('without batches, 1F1B waits for itself, and the finding stands at the key', () => {
  const text = exampleText('systems/rendezvous.pipe').replace('rendezvous(batched = true)', 'rendezvous');
  const { findings } = analyse(text);
  const [found] = findings.filter((finding) => finding.severity === 'error');
  expect(found.code).toBe('schedule/deadlock');
  expect(text.slice(found.place.start, found.place.end)).toBe('rendezvous');
  expect(found.message).toContain('0SEND_F1 (gpu[0]) → 1RECV_F1 (gpu[1]) → 1SEND_B0 (gpu[1]) → 0RECV_B0 (gpu[0])');
});

test.each([
  ['eager', 'name/unknown'],
  ['rendezvous(batched = maybe)', 'name/unknown'],
  ['rendezvous(batched = 3)', 'type/mismatch'],
  ['rendezvous(batch = true)', 'key/unknown'],
  ['buffered(batched = true)', 'key/unknown'],
  ['12', 'type/mismatch'],
])('transfer = %s is %s', (written, code) => {
  const text = exampleText('systems/rendezvous.pipe').replace('rendezvous(batched = true)', written);
  const { findings } = analyse(text);
  expect(findings.filter((finding) => finding.severity === 'error')[0].code).toBe(code);
});
