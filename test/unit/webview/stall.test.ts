import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { rowOfItems } from '../../../engine/schedule/rowItems.ts';
import { operationName } from '../../../engine/values/program.ts';
import { type Stall, stallOf } from '../../../engine/flow/stall.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { findStalled } from '../../../webview/input/stalledSearch.ts';
import { parseQuery } from '../../../webview/input/query.ts';
import { ranBlocks, restItems, shownRows, stallFigures } from '../../../webview/picture/stalledRows.ts';
import { stallSentence, stepSentences } from '../../../webview/picture/stallSentences.ts';
import { stallLayout } from '../../../webview/view/panels/stall/stallLayout.ts';
import { pipeline } from '../../browser/plans.ts';
import { longStall, rowsPlan, stalled } from '../../browser/stalls.ts';

function stallFor(plan: PipelinePlan): Stall {
  const stall = stallOf(plan);
  if (stall === undefined) throw new Error('it runs');
  return stall;
}
const namesOf = ({ devices }: PipelinePlan): readonly string[] => devices.map(({ name }) => name);

describe('a deadlock in words', () => {
  it('says how far it got and who waits for what, with the text that causes it', () => {
    const stall = stallFor(stalled);
    expect(stallFigures(stall)).toEqual({ ran: 3, operations: 16, waiting: 4 });
    expect(stallSentence(stall)).toBe('Deadlock after 6.636 ms: 3 of 16 operations ran and 4 devices wait.');
    const sentences = stepSentences(stall, stalled, stall.circles[0].circle);
    expect(sentences.map(({ parts }) => parts.join(''))).toEqual([
      '2F1 on gpu[2] needs the activations of 1F1 on gpu[1].',
      '1F1 comes after 1B0 in the row of gpu[1].',
      '1B0 on gpu[1] needs the gradient from 2B0 on gpu[2].',
      '2B0 comes after 2F1 in the row of gpu[2].',
    ]);
    expect(sentences.map(({ path }) => path)).toEqual([
      undefined,
      'train/row:1/item:2',
      undefined,
      'train/row:2/item:2',
    ]);
  });

  it('names sends and receives that block', () => {
    const plan: PipelinePlan = {
      ...pipeline({ devices: 2, microbatches: 4 }),
      transfer: { kind: 'rendezvous', batched: 'none' },
    };
    const stall = stallFor(plan);
    const [{ circle }] = stall.circles;
    expect(stepSentences(stall, plan, circle)[0]).toEqual({
      parts: ['', '0SEND_F1', ' on gpu[0] ends at the same time as ', '1RECV_F1', ' on gpu[1].'],
    });
    // The send belongs to an operation that has run: it has a box before what never runs.
    const [first] = restItems(stall, 0, circle, 5);
    expect(first).toMatchObject({ kind: 'exchange', step: { exchange: 'SEND' } });
  });
});

describe('a deadlock in rows', () => {
  it('shows few devices in order, and of many those of the circle', () => {
    const few = stallFor(stalled);
    expect(shownRows(few, few.circles[0].circle, 8)).toEqual({ devices: [0, 1, 2, 3], waiting: 0, done: 0 });
    const many = stallFor(longStall(256, 4));
    expect(shownRows(many, many.circles[0].circle, 8)).toEqual({ devices: [128, 129], waiting: 254, done: 0 });
  });

  it('keeps the boxes of the circle and accounts for every operation that never runs, in as many columns as asked', () => {
    const circleAtEnd = rowsPlan(['F0 F1 F2 F3 B0 B1 B2 B3', 'F0 F1 F2 B0 B1 B2 B3 F3']);
    for (const plan of [stalled, circleAtEnd, longStall(8, 30)]) {
      const stall = stallFor(plan);
      const [{ circle }] = stall.circles;
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(stall.program.devices - 1), (columns, device) => {
          const items = restItems(stall, device, circle, columns);
          const wanted = circle.filter((step) => step.device === device).map(({ position }) => position);
          const boxes = items.flatMap((item) => (item.kind === 'operation' ? [item] : []));
          expect(boxes.filter(({ inCircle }) => inCircle).map(({ position }) => position)).toEqual(
            wanted.toSorted((a, b) => a - b),
          );
          let next = stall.stuck[device];
          for (const item of items) {
            if (item.kind === 'more') next += item.count;
            else if (item.kind === 'operation') {
              expect(item.position).toBe(next);
              next += 1;
            }
          }
          expect(next).toBe(stall.program.offsets[device + 1]);
          // More only where the circle's own boxes, and the runs between them, take more.
          expect(items.length).toBeLessThanOrEqual(Math.max(columns, 2 * (wanted.length + 1) + 1));
        }),
      );
    }
  });

  it('draws every operation that ran, or the kind that fills most of each stretch', () => {
    const stall = stallFor(longStall(8, 30));
    const all = ranBlocks(stall, 0, 100);
    expect(all).toHaveLength(30);
    expect(all[3]).toEqual({ start: stall.start[3], end: stall.end[3], kind: 0, position: 3 });
    const cells = ranBlocks(stall, 0, 10);
    expect(cells.every(({ kind, position }) => kind === 0 && position === -1)).toBe(true);
    const busy = cells.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(Math.abs(busy - (all[29].end - all[0].start))).toBeLessThan(stall.seconds / 10);
  });
});

describe('the drawing of a deadlock', () => {
  it('has no boxes over each other, and an arrow from each step to the next', () => {
    for (const plan of [stalled, longStall(256, 4), longStall(8, 30)]) {
      const stall = stallFor(plan);
      const [{ circle }] = stall.circles;
      for (const width of [320, 420, 700, 1400]) {
        const layout = stallLayout(stall, namesOf(plan), circle, width);
        for (const { boxes, y } of layout.rows) {
          expect(boxes[0].x).toBeGreaterThan(layout.ran.x + layout.ran.width);
          for (const [index, box] of boxes.slice(1).entries())
            expect(box.x).toBeGreaterThanOrEqual(boxes[index].x + boxes[index].width);
          expect(y + layout.barHeight).toBeLessThan(layout.height);
        }
        expect(layout.arrows.map(({ number }) => number)).toEqual(circle.map((_, index) => index + 1));
        if (width >= 420) expect(layout.width).toBe(width);
      }
    }
  });

  it('labels boxes with the microbatch, and with the stage on a device of several', () => {
    const labels = (plan: PipelinePlan, width: number) => {
      const stall = stallFor(plan);
      return stallLayout(stall, namesOf(plan), stall.circles[0].circle, width).rows[0].boxes.map(({ label }) => label);
    };
    expect(labels(stalled, 1400)).toEqual(['backward 0', 'backward 1']);
    expect(labels(stalled, 420)).toEqual(['B0', 'B1']);
    const chunks = stallFor(loop);
    const first = operationName(chunks.program, chunks.program.order[chunks.stuck[0]]);
    expect(labels(loop, 1400)[0]).toBe(first);
  });
});

/** Two devices of two stages each; device 0 wants the gradient of its first stage before the forward of its second. */
const loop: PipelinePlan = {
  ...pipeline({ devices: 2, microbatches: 1, chunks: 2 }),
  schedule: {
    kind: 'rows',
    name: 'mine',
    rows: [
      [item('F', 0, 0), item('B', 0, 1), item('F', 2, 2), item('B', 2, 3)],
      [item('F', 1, 0), item('F', 3, 1), item('B', 3, 2), item('B', 1, 3)],
    ].map((row) => rowOfItems(row)),
  },
};

function item(op: 'F' | 'B', stage: number, index: number) {
  return { op, stage, microbatch: 0, item: index } as const;
}

describe('a search in a deadlock', () => {
  const found = (plan: PipelinePlan, text: string): readonly string[] => {
    const query = parseQuery(text);
    if (typeof query === 'string') throw new Error(query);
    const stall = stallFor(plan);
    return findStalled({ stall, plan }, query).map((position) =>
      operationName(stall.program, stall.program.order[position]),
    );
  };

  it('finds what ran and what never runs, device by device', () => {
    expect(found(stalled, 'mb:1 kind:B')).toEqual(['0B1', '1B1', '2B1', '3B1']);
    expect(found(stalled, 'dev:2')).toEqual(['2F1', '2F0', '2B0', '2B1']);
    expect(found(stalled, 'stage:1 mb:0')).toEqual(['1F0', '1B0']);
    expect(found(stalled, 'kind:W')).toEqual([]);
  });

  it('asks for durations and idle time only of what ran', () => {
    const stall = stallFor(stalled);
    const ran = stallFigures(stall).ran;
    expect(found(stalled, 'dur>0ms')).toHaveLength(ran);
    expect(found(stalled, 'dur<1s')).toHaveLength(ran);
    expect(found(stalled, 'bubble<1s')).toHaveLength(ran);
  });

  it('gives the operation that it is at a row and a box', () => {
    const plan = longStall(256, 30);
    const stall = stallFor(plan);
    const [{ circle }] = stall.circles;
    for (const device of [0, 127, 128, 129, 255]) {
      for (const position of [stall.stuck[device], stall.program.offsets[device + 1] - 1]) {
        const { rows } = stallLayout(stall, namesOf(plan), circle, 700, position);
        const row = rows.find((candidate) => candidate.device === device);
        expect(row?.boxes.map((box) => box.position)).toContain(position);
        // The circle keeps its rows.
        expect(rows.map((candidate) => candidate.device)).toEqual(expect.arrayContaining([128, 129]));
      }
    }
  });
});
