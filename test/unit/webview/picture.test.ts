import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { paths } from '../../../engine/values/plan.ts';
import { arrivalAt } from '../../../engine/values/timeline.ts';
import {
  classOf,
  deviceOf,
  gapAt,
  lastNeed,
  microbatchBlocks,
  microbatchOf,
  needsOf,
  siblingsOf,
  stageOf,
  typeOf,
} from '../../../webview/picture/blocks.ts';
import { memoryAfter, curve, highest } from '../../../webview/picture/memoryLevel.ts';
import { find, parseQuery } from '../../../webview/input/query.ts';
import { rangeFigures, secondsByKind } from '../../../webview/picture/rangeFigures.ts';
import { walk } from '../../../webview/input/walk.ts';
import { pathOf } from '../../../webview/session/source.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { type PlanShape, pipeline } from '../../browser/plans.ts';
import { selectedDevice, carrySelection } from '../../../webview/session/selection.ts';

function made(shape: PlanShape) {
  const plan = pipeline(shape);
  const evaluation = evaluate(plan, defaultOptions);
  if (evaluation.run === undefined) throw new Error(evaluation.findings.map((finding) => finding.message).join());
  return { plan, run: evaluation.run, picture: pictureOf(evaluation, evaluation.run, 1) };
}

const shape: PlanShape = { devices: 4, microbatches: 7, sync: 2e-3, optimizer: 1e-3, recompute: 1e-3 };

describe('picture', () => {
  it('holds every operation of the timeline, and what each device does last', () => {
    const { run, picture } = made(shape);
    const { columns } = picture;
    expect(columns.word.length).toBe(run.program.order.length + 2 * 4);
    expect(columns.makespan).toBe(run.timeline.makespan);
    expect(columns.end.reduce((most, end) => Math.max(most, end), 0)).toBeCloseTo(run.timeline.makespan, 12);
    for (let device = 0; device < 4; device += 1) {
      let busy = 0;
      for (let block = columns.offsets[device]; block < columns.offsets[device + 1]; block += 1) {
        expect(deviceOf(picture, block)).toBe(device);
        if (columns.word[block] >= 0) busy += columns.end[block] - columns.start[block];
        if (block > columns.offsets[device])
          expect(columns.start[block]).toBeGreaterThanOrEqual(columns.end[block - 1] - 1e-12);
      }
      expect(busy).toBeCloseTo(run.timeline.busy[device], 10);
    }
    const seconds = secondsByKind(picture);
    expect(seconds[3]).toBeCloseTo(4 * 7 * 1e-3, 10);
    expect(seconds[2]).toBeCloseTo(4 * 7 * 2.9e-3, 10);
    expect(seconds[5]).toBeCloseTo(4 * 2e-3, 10);
  });

  it('starts no block before what it needs, and tells arrivals as the engine does', () => {
    const { run, picture } = made(shape);
    for (let block = 0; block < picture.columns.word.length; block += 1) {
      for (const need of needsOf(picture, block))
        expect(need.arrival).toBeLessThanOrEqual(picture.columns.start[block] + 1e-12);
      const last = lastNeed(picture, block);
      if (last !== undefined)
        expect(last.made + last.occupancy + last.latency).toBeLessThanOrEqual(last.arrival + 1e-12);
    }
    expect(arrivalAt(run.timeline, 0, 0)).toBeGreaterThan(0);
  });

  it('gives the slack that delaying a block by as much shows', () => {
    const { picture } = made({ devices: 3, microbatches: 5 });
    const { columns, slack } = picture;
    if (slack === undefined) throw new Error('no slack');
    // The long way: push one block later, then everything that must follow, until nothing moves.
    const pushed = (block: number, by: number): number => {
      const start = Float64Array.from(columns.start);
      start[block] += by;
      for (let moved = true; moved;) {
        moved = false;
        for (let block = 0; block < start.length; block += 1) {
          let earliest = start[block];
          if (block > columns.offsets[deviceOf(picture, block)])
            earliest = Math.max(earliest, start[block - 1] + columns.end[block - 1] - columns.start[block - 1]);
          for (const need of needsOf(picture, block)) {
            earliest = Math.max(
              earliest,
              start[need.from] + columns.end[need.from] - columns.start[need.from] + need.occupancy + need.latency,
            );
          }
          if (earliest > start[block] + 1e-15) {
            start[block] = earliest;
            moved = true;
          }
        }
      }
      return start.reduce((most, time, index) => Math.max(most, time + columns.end[index] - columns.start[index]), 0);
    };
    for (let block = 0; block < slack.length; block += 1) {
      expect(pushed(block, slack[block])).toBeLessThanOrEqual(columns.makespan + 1e-9);
      expect(pushed(block, slack[block] + 1e-4)).toBeGreaterThan(columns.makespan + 5e-5);
    }
    for (const block of picture.critical) expect(slack[block]).toBeLessThan(1e-9);
  });

  it('knows siblings, microbatches and gaps', () => {
    const { picture } = made(shape);
    const block = walk(picture, picture.columns.offsets[2], 'End', false, 1);
    const operation = block - 2;
    expect(
      siblingsOf(picture, operation).map((block) => [deviceOf(picture, block), microbatchOf(picture, block)]),
    ).toEqual([
      [3, 6],
      [2, 6],
      [1, 6],
      [0, 6],
    ]);
    expect(microbatchBlocks(picture, 3)).toHaveLength(8);
    const gap = gapAt(picture, 3, 1e-3);
    if (gap === undefined) throw new Error('device 3 waits at first');
    expect(gap.from).toBe(0);
    expect(classOf(picture, gap)).toBe('warm-up');
    expect([typeOf(picture, gap.before), stageOf(picture, gap.before)]).toEqual(['F', 3]);
    expect(gapAt(picture, 0, 1e-3)).toBeUndefined();
  });

  it('counts a range as a walk through all blocks does', () => {
    const { picture } = made(shape);
    const { columns } = picture;
    const [t0, t1] = [0.02, 0.05];
    let busy = 0;
    for (let block = columns.offsets[1]; block < columns.offsets[3]; block += 1)
      busy += Math.max(0, Math.min(t1, columns.end[block]) - Math.max(t0, columns.start[block]));
    const figures = rangeFigures(picture, t0, t1, 1, 2);
    expect(figures.busy).toBeCloseTo(busy, 12);
    expect(figures.idle).toBeCloseTo(1 - busy / (2 * (t1 - t0)), 12);
    const whole = rangeFigures(picture, 0, columns.makespan, 0, 3);
    expect(whole.peak).toBe(Math.max(...picture.report.devices.map((device) => device.peak)));
    expect(whole.kinds.get('F')?.count).toBe(28);
  });

  it('carries a selection over to another number of microbatches', () => {
    const from = made(shape).picture;
    const to = made({ ...shape, microbatches: 20 }).picture;
    const block = microbatchBlocks(from, 4)[5];
    const carried = carrySelection({ kind: 'block', block }, from, to);
    if (carried?.kind !== 'block') throw new Error('not carried');
    expect([typeOf(to, carried.block), stageOf(to, carried.block), microbatchOf(to, carried.block)]).toEqual([
      typeOf(from, block),
      stageOf(from, block),
      4,
    ]);
    expect(carrySelection({ kind: 'block', block: microbatchBlocks(to, 15)[0] }, to, from)).toBeUndefined();
  });

  it('carries a device over to a timeline of as many devices', () => {
    const from = made(shape);
    const selection = { kind: 'device', device: 2 } as const;
    expect(carrySelection(selection, from.picture, made({ ...shape, microbatches: 20 }).picture)).toBe(selection);
    expect(carrySelection(selection, from.picture, made({ ...shape, devices: 8 }).picture)).toBeUndefined();
    expect(pathOf(from.plan, from.picture, selection)).toBe(paths.device(from.plan.name, 2));
    expect(
      [selection, { kind: 'range', t0: 0, t1: 1, from: 0, to: 1 } as const].map((chosen) =>
        selectedDevice(chosen, () => 7),
      ),
    ).toEqual([2, -1]);
  });
});

describe('memory', () => {
  it('agrees with the report at its peak, and draws no lower curve when thinned', () => {
    const { picture } = made({ devices: 4, microbatches: 40 });
    picture.memory.forEach((track, device) => {
      expect(highest(track).bytes).toBe(picture.report.devices[device].peak);
      expect(memoryAfter(track, -1)).toBe(track.bytes[0]);
      const points = curve(track, 0, picture.columns.makespan, 10);
      expect(points.length / 2).toBeLessThanOrEqual(11);
      expect(Math.max(...points.filter((_, index) => index % 2 === 1))).toBe(highest(track).bytes);
    });
  });
});

describe('search', () => {
  it('finds by microbatch, kind, device, stage, duration and bubble', () => {
    const { plan, picture } = made(shape);
    const search = (text: string) => {
      const query = parseQuery(text);
      if (typeof query === 'string') throw new Error(query);
      return Array.from(find(plan, picture, query));
    };
    const all = Array.from(picture.columns.word.keys());
    expect(search('')).toEqual(all);
    expect(search('mb:5 kind:b')).toEqual(
      all.filter((block) => microbatchOf(picture, block) === 5 && typeOf(picture, block) === 'B'),
    );
    expect(search('dev:gpu[2]')).toEqual(search('dev:2'));
    expect(search('kind:optimizer')).toHaveLength(4);
    expect(search('dur>4ms dur<1s')).toEqual(
      all.filter((block) => picture.columns.end[block] - picture.columns.start[block] > 4e-3),
    );
    expect(search('bubble>3ms dev:3 kind:F')[0]).toBe(picture.columns.offsets[3]);
  });

  it.each(['mb:x', 'kind:Q', 'dur:4ms', 'dur>4', 'what', 'dev>1'])('says what is wrong with %s', (text) => {
    expect(parseQuery(text)).toBeTypeOf('string');
  });
});
