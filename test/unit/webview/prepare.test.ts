import { expect, test } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { labelsAt } from '../../../webview/picture/labels.ts';
import { firstOverLimit } from '../../../webview/picture/memoryLevel.ts';
import { prepare } from '../../../webview/picture/prepare.ts';
import { secondsByKind } from '../../../webview/picture/rangeFigures.ts';
import { scaleWords } from '../../../webview/picture/scaleWords.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { pipeline } from '../../browser/plans.ts';

test('a prepared picture is asked for its sums without a pass over its blocks or its memory', () => {
  const plan = pipeline({ devices: 4, microbatches: 6 });
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('no run');
  const made = pictureOf({ plan }, run, 1);
  let reads = 0;
  const counted = <T extends object>(value: T, key: keyof T): T => {
    const found = value[key];
    return Object.defineProperty({ ...value }, key, {
      get() {
        reads += 1;
        return found;
      },
    });
  };
  const picture = {
    ...made,
    columns: counted(made.columns, 'start'),
    memory: made.memory.map((track) => counted(track, 'bytes')),
  };
  const ask = () => [
    labelsAt(picture.columns, 1000, 20),
    secondsByKind(picture),
    scaleWords(picture.columns, 0.01),
    picture.memory.map(firstOverLimit),
  ];
  prepare(picture);
  expect(reads).toBeGreaterThan(0);
  reads = 0;
  ask();
  expect(reads).toBe(0);
});
