/** What the view of a search says of sliders that have other values than the file. */
import { expect, test } from 'vitest';
import type { ParamPlan } from '../../../engine/values/plan.ts';
import { planFound } from '../../../webview/session/planFound.ts';
import { sliderNotice } from '../../../webview/view/plan/sliders.ts';

const param = (name: string, inFile: number, more: Partial<ParamPlan> = {}): ParamPlan => ({
  name,
  value: inFile,
  default: inFile,
  dimension: 'number',
  unit: '',
  scale: 1,
  local: true,
  ...more,
});
const params = [
  param('batch', 32),
  param('window', 0.004, { dimension: 'time', unit: 'ms', scale: 0.001 }),
  param('kind', 0, { words: ['ring', 'tree'] }),
];
const head = (overrides?: Readonly<Record<string, number>>) => ({
  pipeline: 'train',
  version: 1,
  axes: [{ key: 'tensor', values: ['1', '2'] }],
  isDefault: false,
  ...(overrides === undefined ? {} : { overrides }),
  minimise: 'iteration' as const,
  limits: [],
  devices: 8,
  batch: 32,
});
function notice(
  used: Readonly<Record<string, number>> | undefined,
  tried: Readonly<Record<string, number>>,
  row?: number,
) {
  const search = planFound();
  search.begin(1, false);
  search.receive({ type: 'planFound', request: 1, head: head(used), points: [], looked: 0, total: 2 });
  search.receive({ type: 'planEdited', request: 1, matters: false, ...(row === undefined ? {} : { row }) });
  return sliderNotice(search.state(), { params, tried });
}

test('nothing, if sliders and search have the values of the file', () => {
  expect(notice(undefined, {})).toBeUndefined();
});

test('sliders that the search does not have, with the value of the file and a button', () => {
  expect(notice(undefined, { batch: 64, window: 0.008, kind: 1 })).toEqual({
    words:
      'This search does not have the values of the sliders: batch 64 instead of 32, window 8 ms instead of 4 ms and kind tree instead of ring.',
    button: 'Search with the sliders',
  });
  expect(notice({ batch: 48 }, { batch: 64 })?.button).toBe('Search with the sliders');
});

test('that the search has the values of the sliders, without a button', () => {
  expect(notice({ batch: 64 }, { batch: 64 })).toEqual({
    words: 'This search has the values of the sliders: batch 64 instead of 32.',
  });
});

test('that sliders were reset since; not once a row with their values is the file', () => {
  expect(notice({ batch: 64 }, {})).toEqual({
    words: 'This search has other values than the file: batch 64 instead of 32.',
    button: 'Search with the values of the file',
  });
  expect(notice({ batch: 64 }, {}, 7)).toBeUndefined();
});
