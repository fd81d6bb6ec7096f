import { expect, it } from 'vitest';
import { gapAt } from '../../../webview/picture/blocks.ts';
import { bubblesBySize, nextBubble } from '../../../webview/picture/bubbles.ts';
import { gapCause, gapTitle } from '../../../webview/picture/describe.ts';
import { carryGap } from '../../../webview/session/selection.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { analyseExample } from '../../support/analyse.ts';

function pictureOfExample(name: string, index = 0, overrides = {}) {
  const evaluation = analyseExample(name, overrides).pipelines[index];
  if (evaluation.run === undefined) throw new Error('no run');
  return { plan: evaluation.plan, picture: pictureOf(evaluation, evaluation.run, 1) };
}

it('lists every bubble once, the longest first', () => {
  for (const name of ['quickstart.pipe', 'systems/rendezvous.pipe', 'systems/dualpipe_v.pipe']) {
    const { picture } = pictureOfExample(name);
    const gaps = bubblesBySize(picture);
    const { columns } = picture;
    const lengths = gaps.map(({ from, to }) => to - from);
    for (let index = 1; index < lengths.length; index += 1)
      expect(lengths[index]).toBeLessThanOrEqual(lengths[index - 1] + columns.makespan * 1e-9);
    for (const gap of gaps) expect(gapAt(picture, gap.device, (gap.from + gap.to) / 2)).toEqual(gap);
    const idle = lengths.reduce((sum, length) => sum + length, 0);
    const busy = Array.from({ length: columns.rows }, (_, row) => {
      let [until, sum] = [0, 0];
      for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1) {
        sum += Math.max(0, columns.end[block] - Math.max(until, columns.start[block]));
        until = Math.max(until, columns.end[block]);
      }
      return sum;
    }).reduce((sum, each) => sum + each, 0);
    expect(idle + busy).toBeCloseTo(columns.rows * columns.makespan, 9);
  }
});

it('walks from the longest to shorter bubbles and stops at both ends', () => {
  const { picture } = pictureOfExample('quickstart.pipe');
  const gaps = bubblesBySize(picture);
  expect(nextBubble(picture, undefined, -1)).toBe(gaps[0]);
  expect(nextBubble(picture, gaps[0], 1)).toBe(gaps[1]);
  expect(nextBubble(picture, gaps[1], -1)).toBe(gaps[0]);
  expect(nextBubble(picture, gaps[0], -1)).toBe(gaps[0]);
  expect(nextBubble(picture, gaps.at(-1), 1)).toBe(gaps.at(-1));
});

it('says who waits, how long and for what', () => {
  const { plan, picture } = pictureOfExample('quickstart.pipe');
  const gap = bubblesBySize(picture).find(({ device, before }) => device === 0 && before >= 0);
  const last = bubblesBySize(picture).find(({ before }) => before < 0);
  if (gap === undefined || last === undefined) throw new Error('no bubble');
  expect(gapTitle(plan, picture, gap)).toBe('gpu[0] waits 48.1 ms for 1B0');
  expect(gapTitle(plan, picture, last)).toBe('gpu[3] waits 48 ms for the end of the iteration');
});

it('names no operation where none is waited for', () => {
  const gathered = pictureOfExample('systems/gradient_overlap.pipe', 3);
  const first = gapAt(gathered.picture, 0, 1e-4);
  if (first === undefined) throw new Error('no bubble');
  expect(gapTitle(gathered.plan, gathered.picture, first)).toMatch(/^gpu\[0\] waits [\d.]+ ms$/);
  expect(gapCause(gathered.plan, gathered.picture, first)).toBe('');
});

it('finds the same gap in another timeline of the same shape', () => {
  const before = pictureOfExample('quickstart.pipe').picture;
  const after = pictureOfExample('quickstart.pipe', 0, { microbatches: 12 }).picture;
  for (const gap of bubblesBySize(before)) {
    const kept = carryGap(gap, before, after);
    if (kept === undefined) continue;
    expect(kept.device).toBe(gap.device);
    expect(kept.before < 0).toBe(gap.before < 0);
    if (gap.before >= 0) {
      const [code, other] = [before.columns.word[gap.before], after.columns.word[kept.before]];
      expect(other & ((1 << after.columns.shift) - 1)).toBe(code & ((1 << before.columns.shift) - 1));
    }
  }
  const [first] = bubblesBySize(before);
  expect(carryGap(first, before, before)).toEqual(first);
  const few = pictureOfExample('quickstart.pipe', 0, { microbatches: 1 }).picture;
  const late = bubblesBySize(before).find(({ before: block }) => block >= 0 && (before.columns.word[block] & 7) === 6);
  if (late === undefined) throw new Error('no late bubble');
  expect(carryGap(late, before, few)).toBeUndefined();
});
