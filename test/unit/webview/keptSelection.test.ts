import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { readSelection, selectionText } from '../../../webview/protocol/keptSelection.ts';
import { readState } from '../../../webview/protocol/state.ts';
import { keptSelection, restoredSelection } from '../../../webview/session/keptSelection.ts';
import { type Selection, gapBefore } from '../../../webview/session/selection.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { analyseExample } from '../../support/analyse.ts';

function pictures(name: string) {
  return analyseExample(name).pipelines.flatMap(({ plan }) => {
    const evaluation = evaluate(plan, defaultOptions);
    return evaluation.run === undefined ? [] : [pictureOf(evaluation, evaluation.run, 1)];
  });
}

/** Kept, written into a link, read, and found again. */
function again(selection: Selection, picture: ReturnType<typeof pictures>[number]): Selection | undefined {
  const kept = keptSelection(selection, picture);
  if (kept === undefined) return undefined;
  const read = readSelection(selectionText(kept));
  expect(read).toEqual(kept);
  expect(readState({ uri: 'file:///a.pipe', selection: kept })?.selection).toEqual(kept);
  return restoredSelection(kept, picture);
}

describe.each(['quickstart.pipe', 'custom-schedule.pipe', 'systems/pipedream.pipe', 'offload.pipe'])('%s', (name) => {
  test('every operation, bubble and device is found again', () => {
    for (const picture of pictures(name)) {
      const { columns } = picture;
      for (let block = 0; block < columns.word.length; block += 1) {
        if (columns.word[block] < 0) continue;
        expect(again({ kind: 'block', block }, picture)).toEqual({ kind: 'block', block });
        const gap = gapBefore(picture, block);
        if (gap !== undefined) expect(again({ kind: 'gap', gap }, picture)).toEqual({ kind: 'gap', gap });
      }
      for (let device = 0; device < columns.rows; device += 1)
        expect(again({ kind: 'device', device }, picture)).toEqual({ kind: 'device', device });
      const range = { kind: 'range', t0: 0, t1: columns.makespan / 3, from: 0, to: columns.rows - 1 } as const;
      expect(again(range, picture)).toEqual(range);
    }
  });
});

test('what a timeline does not have is not selected', () => {
  const [picture] = pictures('quickstart.pipe');
  for (const text of [
    'block:F:0:8',
    'block:F:4:0',
    'block:Q:0:0',
    'block:R:0:0',
    'gap:F:0:0',
    'device:4',
    'end:4',
    'range:9:10:0:1',
    'range:0:1:0:4',
  ]) {
    const kept = readSelection(text);
    expect(kept, text).toBeDefined();
    expect(kept && restoredSelection(kept, picture), text).toBeUndefined();
  }
});

test.each([
  undefined,
  'block:F:0:0',
  { of: 'block', kind: 'F:1', stage: 0, microbatch: 0 },
  { of: 'block', kind: 'F', stage: -1, microbatch: 0 },
  { of: 'device', device: 1e99 },
  { of: 'range', t0: 2, t1: 1, from: 0, to: 0 },
  { of: 'x' },
])('%j is no selection of a state', (selection) => {
  expect(readState({ uri: 'file:///a.pipe', selection })).not.toHaveProperty('selection');
});
