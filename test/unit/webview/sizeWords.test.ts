import { expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { blockLines } from '../../../webview/picture/describe.ts';
import { partWords, sizeWords } from '../../../webview/picture/sizeWords.ts';
import { figuresOf } from '../../../webview/session/figures.ts';
import { shownTimeline, timelineSentence } from '../../../webview/session/shownTimeline.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { planOf } from '../../support/resolve.ts';
import { edited } from '../../support/goodFile.ts';

it('memory is in bytes, and on equal stages in activations', () => {
  expect(sizeWords({}, 4)).toBe('4 B');
  expect(sizeWords({ unitTimes: true }, 4)).toBe('4 activations');
  expect(sizeWords({ unitTimes: true }, 1)).toBe('1 activation');
  expect(sizeWords({ unitTimes: true }, 2048)).toBe('2,048 activations');
  expect([partWords({}, 4, 8), partWords({ unitTimes: true }, 4, 8)]).toEqual(['4 B of 8 B', '4 of 8 activations']);
});

it('no text of a timeline of equal stages has a byte', () => {
  const plan = { ...planOf(edited('= 1f1b', '= gpipe')), unitTimes: true as const };
  const evaluation = evaluate(plan, defaultOptions);
  if (evaluation.run === undefined) throw new Error('It does not run.');
  const picture = pictureOf(evaluation, evaluation.run, 1);
  const shown = shownTimeline(plan, picture);
  const texts = [
    timelineSentence(shown),
    ...figuresOf(plan, picture).flatMap(({ value, note, shortNote }) => [value, note, shortNote]),
    ...blockLines(plan, picture, 0).map(([, text]) => text),
  ];
  expect(texts.filter((text) => /\d (?:[KMGT]i)?B\b/.test(text))).toEqual([]);
  expect(texts.filter((text) => text.includes('activation')).length).toBeGreaterThan(2);
});
