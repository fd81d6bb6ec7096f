import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { optimizerWord, syncWord } from '../../../webview/picture/columns.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { meanBlock } from '../../../webview/worker/meanBlock.ts';
import { rowCountsOf } from '../../../webview/worker/rowCounts.ts';
import { runOf } from '../../support/analyse.ts';

const text = (schedule: string, more: string) => `
model m { layer block[8] { forward = 4ms  backward = 9ms  weights = 64MiB } }
device d { memory = 1TiB }
cluster c { gpu[4] = d  link = 100GB/s }
cluster twice { node[4] { gpu[2] = d  link = 100GB/s }  link = 25GB/s }
pipeline train { model = m  microbatches = 8  stages = balance(4)  schedule = ${schedule}  ${more} }
`;

test.each([
  ['1f1b', 'devices = c'],
  ['zb_h1', 'devices = c'],
  ['zb_h1', 'devices = twice  data = 2'],
  ['dualpipe', 'devices = c'],
])('a picture knows how many blocks each row has: %s, %s', (schedule, more) => {
  const { plan: read } = runOf(text(schedule, more));
  const plan = { ...read, step: read.step.map((step, device) => ({ ...step, optimizer: device * 1e-3 })) };
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('The pipeline runs.');
  const { columns } = pictureOf({ plan }, run, 1);
  const known = rowCountsOf(columns);
  // Of a copy nothing is known, so its blocks are counted.
  const counted = rowCountsOf({ ...columns });
  expect(known).toEqual({ ...counted, seconds: known.seconds });
  known.seconds.forEach((seconds, at) => expect(seconds).toBeCloseTo(counted.seconds[at], 9));
  expect([known.syncs, known.steps]).toEqual([syncWord, optimizerWord].map((tail) => columns.word.includes(tail)));
});

test('operations that take no time have none, and the others have their mean', () => {
  const { plan } = runOf(
    text('zb_h1', 'devices = c').replace('backward = 9ms', 'backward_input = 0ms  backward_weight = 9ms'),
  );
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('The pipeline runs.');
  const columns = pictureOf({ plan }, run, 1).columns;
  const counted = { ...columns };
  expect([...rowCountsOf(counted).seconds].every((seconds) => seconds >= 0)).toBe(true);
  expect(meanBlock(counted)).toBeCloseTo(meanBlock(columns), 12);
});
