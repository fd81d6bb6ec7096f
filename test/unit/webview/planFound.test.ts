/** What the page keeps of a search for plans, and which messages it takes. */
import { describe, expect, test } from 'vitest';
import { keptPlan, type PlanNews } from '../../../client/preview/keptPlan.ts';
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { frontOf } from '../../../engine/sweep/front.ts';
import { readMessage } from '../../../webview/session/incoming.ts';
import { planFound } from '../../../webview/session/planFound.ts';
import { againstFile, fileFigures, progressWords, rowCounts } from '../../../webview/view/plan/words.ts';
import * as fc from '../../support/property.ts';

const point = (row: number, iteration: number, peak: number, meets = true): FoundPoint => ({
  row,
  settings: { tensor: '2' },
  pipeline: 4,
  data: 1,
  microbatches: 8,
  iteration,
  peak,
  throughput: 1,
  bubble: 0.1,
  meets,
});
const head = {
  pipeline: 'train',
  version: 3,
  axes: [{ key: 'tensor', values: ['1', '2'] }],
  isDefault: false,
  minimise: 'iteration',
  limits: [],
  devices: 8,
  batch: 32,
  capacity: 100,
} as const;
const figures = {
  version: 1,
  file: 'a.pipe',
  pipeline: 'train',
  devices: 8,
  batch: 32,
  search: head.axes,
  minimise: 'iteration',
  limits: [],
  rows: 9,
  simulated: 3,
  over: 2,
  dropped: 0,
  unsearched: 0,
  refused: [{ reason: 'no', rows: 4, example: { tensor: '1' } }],
  certificate: 'No other row.',
  best: 1,
} as const;

const kept = {
  type: 'planKept',
  uri: 'file:///a.pipe',
  request: 1,
  open: true,
  found: { head, points: [point(1, 2, 3)], looked: 1, total: 2 },
  edited: { matters: false },
  note: '',
} as const;

describe('what is found', () => {
  test('the front of parts is the front of all, in whatever parts and order they come; rows that miss a limit are never on it', () => {
    const points = fc.array(
      fc.record({
        iteration: fc.integer({ min: 1, max: 20 }),
        peak: fc.integer({ min: 1, max: 20 }),
        meets: fc.boolean(),
        comes: fc.integer(),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 7 }), (all, size) => {
        const found = all.map(({ iteration, peak, meets }, row) => point(row, iteration, peak, meets));
        const coming = found.toSorted((a, b) => all[a.row].comes - all[b.row].comes);
        const search = planFound();
        search.begin(1, false);
        for (let from = 0; from < found.length; from += size)
          search.receive({
            type: 'planFound',
            request: 1,
            points: coming.slice(from, from + size),
            looked: from,
            total: 60,
          });
        const { front, beyond, fit, smallest } = search.state();
        const least = Math.min(...found.map(({ peak }) => peak));
        expect(smallest).toEqual(found.find(({ peak }) => peak === least));
        expect(front).toEqual(frontOf(found.filter(({ meets }) => meets)));
        expect(fit).toBe(found.filter(({ meets }) => meets).length);
        for (const each of beyond) {
          expect(each.meets).toBe(false);
          expect(front.length === 0 || each.iteration < front[0].iteration).toBe(true);
        }
      }),
    );
  });

  test('messages of an older search are left out; more of a search keeps its points', () => {
    const search = planFound();
    search.begin(1, false);
    expect(search.receive({ type: 'planFound', request: 0, points: [point(1, 2, 3)], looked: 1, total: 2 })).toBe(
      false,
    );
    expect(search.state().points).toEqual([]);
    search.receive({ type: 'planFound', request: 1, head, points: [point(1, 2, 3)], looked: 1, total: 9 });
    expect(progressWords(search.state())).toBe('1 of 9 rows decided · 1 simulated · 1 fit');
    search.receive({ type: 'planEnd', request: 1, figures });
    expect(search.state().status).toBe('ended');
    search.begin(2, true);
    expect(search.state()).toMatchObject({ status: 'running', head, points: [point(1, 2, 3)] });
    search.receive({ type: 'planEdited', request: 2, matters: true });
    expect(search.state()).toMatchObject({ status: 'ended', outdated: true });
    search.begin(3, false);
    expect(search.state()).toMatchObject({ status: 'running', outdated: false, points: [], front: [] });
  });

  test('a page that resumes a search has the state of the page that began it, whatever came by then', () => {
    const news: readonly PlanNews[] = [
      { type: 'planFound', request: 1, head, points: [], looked: 0, total: 9 },
      { type: 'planFound', request: 1, points: [point(1, 5, 6), point(2, 4, 9, false)], looked: 3, total: 9 },
      { type: 'planFound', request: 1, points: [point(3, 7, 3)], looked: 9, total: 9 },
      { type: 'planEnd', request: 1, figures },
      { type: 'planEdited', request: 1, matters: false, row: 3 },
      { type: 'planNote', request: 1, text: 'Row 3 was written into the file.' },
      { type: 'planEdited', request: 1, matters: true },
    ];
    for (let length = 0; length <= news.length; length += 1) {
      const first = planFound();
      first.begin(1, false);
      const record = keptPlan(1, 'train');
      for (const each of news.slice(0, length)) {
        first.receive(each);
        record.add(each);
      }
      const next = planFound();
      // As it crosses to the page.
      const message = readMessage(JSON.parse(JSON.stringify(record.message('file:///a.pipe'))));
      if (message?.type !== 'planKept') throw new Error('refused');
      next.resume(message);
      expect(next.state()).toEqual(first.state());
      // What follows goes on from there.
      for (const each of news.slice(length)) for (const page of [first, next]) page.receive(each);
      expect(next.state()).toEqual(first.state());
    }
  });

  test('a search that goes on has no end until it comes', () => {
    const record = keptPlan(1, undefined);
    record.add({ type: 'planEnd', request: 1, figures });
    record.goesOn(2);
    expect(record.message('a')).toMatchObject({ request: 2, found: { points: [] } });
    expect(record.message('a')).not.toHaveProperty('end');
  });

  test('a row that is written is the file from then on', () => {
    const search = planFound();
    search.begin(1, false);
    search.receive({
      type: 'planFound',
      request: 1,
      head,
      points: [point(1, 5, 6), point(2, 4, 9)],
      looked: 2,
      total: 2,
    });
    const written = { iteration: 10, peak: 8, throughput: 1, bubble: 0, meets: true };
    search.receive({ type: 'planEnd', request: 1, figures: { ...figures, written } });
    expect(fileFigures(search.state())).toBe(written);
    search.receive({ type: 'planEdited', request: 1, matters: false, row: 2 });
    expect(fileFigures(search.state())).toEqual(point(2, 4, 9));
    search.receive({ type: 'planNote', request: 1, text: 'Row 2 was written into the file.' });
    search.receive({ type: 'planEdited', request: 1, matters: true });
    expect(fileFigures(search.state())).toBeUndefined();
    expect(search.state().note).toBe('');
    search.receive({ type: 'planEdited', request: 1, matters: false });
    expect(fileFigures(search.state())).toBe(written);
    expect(search.state()).not.toHaveProperty('fileRow');
  });

  test('words compare with the file and count the rows', () => {
    const written = { iteration: 10, peak: 2 ** 33, throughput: 1, bubble: 0, meets: true };
    expect(againstFile(point(0, 9, 2 ** 33 + 2 ** 30), written)).toBe('10 % faster than this file, 1 GiB more');
    expect(againstFile(point(0, 12, 2 ** 32), written)).toBe('20 % slower than this file, 4 GiB less');
    expect(againstFile(point(0, 10, 2 ** 33), written)).toBe('as fast as this file, as much memory');
    expect(rowCounts(figures)).toEqual([
      [3, 'simulated'],
      [2, 'without room for weights, gradients and optimizer state'],
      [4, 'no (tensor 1)'],
    ]);
  });
});

describe('messages of a search', () => {
  test.each([
    { type: 'plans' },
    { type: 'plans', pipeline: 'train' },
    { type: 'planFound', request: 1, head, points: [point(1, 2, 3)], looked: 1, total: 2 },
    { type: 'planFound', request: 1, points: [], looked: 1, total: 2 },
    { type: 'planEnd', request: 1, figures },
    {
      type: 'planEnd',
      request: 1,
      problem: 'no',
      range: { start: { line: 1, character: 0 }, end: { line: 1, character: 2 } },
    },
    { type: 'planEdited', request: 1, matters: true },
    { type: 'planEdited', request: 1, matters: false, row: 4 },
    kept,
    { ...kept, pipeline: 'train', tried: 3, end: { figures }, edited: { matters: false, row: 4 } },
    { ...kept, found: { head: { ...head, overrides: { batch: 64 } }, points: [], looked: 1, total: 2 } },
    { type: 'planNote', request: 1, text: 'Saved.' },
  ])('$type is taken as it is', (message) => {
    expect(readMessage(message)).toEqual(message);
  });

  test.each([
    { type: 'planFound', request: 1, points: [{ ...point(1, 2, 3), peak: Number.NaN }], looked: 1, total: 2 },
    { type: 'planFound', request: 1, points: [{ ...point(1, 2, 3), iteration: -1 }], looked: 1, total: 2 },
    { type: 'planFound', request: 1, points: [{ ...point(1, 2, 3), settings: { tensor: 2 } }], looked: 1, total: 2 },
    { type: 'planFound', request: 1, head: { ...head, axes: [{ key: 'a' }] }, points: [], looked: 1, total: 2 },
    { type: 'planFound', points: [], looked: 1, total: 2 },
    { type: 'planEnd', request: 1 },
    { type: 'planEnd', request: 1, figures: { ...figures, refused: [{ reason: 1 }] } },
    { type: 'planEnd', request: 1, figures: { ...figures, best: -1 } },
    { type: 'planEdited', matters: true },
    { type: 'planEdited', request: 1 },
    { ...kept, uri: 3 },
    { ...kept, edited: {} },
    { ...kept, found: { points: [point(1, 2, Number.NaN)], looked: 1, total: 2 } },
    { ...kept, found: { head: { ...head, overrides: { batch: '64' } }, points: [], looked: 1, total: 2 } },
    { type: 'planNote', request: 1 },
  ])('what is none is refused: $type', (message) => {
    expect(readMessage(message)).toBeUndefined();
  });
});
