import { expect, test } from 'vitest';
import { handOver } from '../../../webview/worker/handOver.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { pipeline } from '../../browser/plans.ts';

const [devices, microbatches] = [4, 500];
const plan = pipeline({ devices, microbatches, sync: 1e-3 });

function made() {
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('no run');
  return { run, picture: pictureOf({ plan }, run, 1) };
}

/** Bytes of the arrays in a value that a message would copy. */
function copied(value: unknown, given: ReadonlySet<unknown>): number {
  if (ArrayBuffer.isView(value)) return given.has(value.buffer) ? 0 : value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + copied(part, given), 0);
}

test.each([true, false])('a picture arrives whole, and the worker keeps what it draws from (tracks: %j)', (keeps) => {
  const { run, picture } = made();
  const before = structuredClone(picture);
  const { picture: given, buffers } = handOver(picture, keeps);
  expect(structuredClone(given, { transfer: [...buffers] })).toEqual(before);
  expect(picture.columns).toEqual(before.columns);
  expect(run.timeline.end.length).toBeGreaterThan(0);
  expect(picture.timing).toEqual(before.timing);
  if (keeps) expect(picture.memory).toEqual(before.memory);
});

test('no array with an element for each operation is copied by the message', () => {
  const { picture } = made();
  const { picture: given, buffers } = handOver(picture, true);
  expect(copied(picture, new Set())).toBeGreaterThan(20 * 2 * devices * microbatches);
  expect(copied(given, new Set(buffers))).toBeLessThan(2 * devices * microbatches);
});

test('a picture has the figures of its report, without the causes of idle time', () => {
  const { run, picture } = made();
  const { causes, ...bubble } = structuredClone(run.report.bubble);
  expect(Object.keys(causes)).not.toEqual([]);
  expect(picture.report).toEqual({ ...structuredClone(run.report), bubble });
  expect(Object.keys(picture.report.bubble)).not.toContain('causes');
});
