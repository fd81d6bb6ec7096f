/** A picture of a schedule that keeps stages on two devices. */
import { expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { paths } from '../../../engine/values/plan.ts';
import { needsOf } from '../../../webview/picture/blocks.ts';
import { gapCause, shortName } from '../../../webview/picture/describe.ts';
import { find, parseQuery } from '../../../webview/input/query.ts';
import { pathOf } from '../../../webview/session/source.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { policyPlan } from '../schedule/plans.ts';
import { withCopies } from '../support/copies.ts';

const plan = withCopies(policyPlan('dualpipe', 4, 8, { args: { overlap: 0.5 } }));
const evaluation = evaluate(plan, defaultOptions);
if (evaluation.run === undefined) throw new Error('it does not run');
const picture = pictureOf(evaluation, evaluation.run, 1);
const blocks = picture.columns.word.map((_, block) => block);

it('names operations by the stage of the cut, and their source by the copy', () => {
  const first = picture.columns.offsets[3];
  expect(shortName(plan, picture, first)).toBe('0F1');
  expect(pathOf(plan, picture, { kind: 'block', block: first })).toBe(paths.stage('train', 4));
});

it('finds a stage by its number in the cut, by its name, and one copy by its own', () => {
  const found = (query: string) => {
    const parsed = parseQuery(query);
    return typeof parsed === 'string' ? [] : [...find(plan, picture, parsed)];
  };
  const named = (pattern: RegExp) => [...blocks].filter((block) => pattern.test(shortName(plan, picture, block)));
  expect(found('stage:1')).toEqual(named(/^1/));
  expect(found('stage:s1')).toEqual(named(/^1/));
  expect(found('stage:s1[1]')).toEqual(named(/^1[FBIW][1357]$/));
});

it('draws the two of a slot as long as the slot, and waits only for what is there', () => {
  const { columns } = picture;
  for (const block of blocks) {
    if (columns.pair?.[block] !== 1) continue;
    expect(columns.start[block]).toBe(columns.start[block + 1]);
    expect(columns.end[block]).toBe(columns.end[block + 1]);
    // F = 1 and B = 2, of which half a unit hides.
    expect(columns.end[block] - columns.start[block]).toBeCloseTo(2.5, 12);
  }
  for (const block of blocks) {
    for (const need of needsOf(picture, block))
      expect(columns.start[block]).toBeGreaterThanOrEqual(need.arrival - 1e-12);
  }
  expect(gapCause(plan, picture, { device: 1, from: 0, to: 1, before: columns.offsets[1] })).toBe('0F0 on gpu[0]');
});
