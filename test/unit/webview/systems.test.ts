/** Pictures of all examples of systems: kinds of operations, copies, segments, fused slots, fills, blocking exchanges. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { letters, operationName } from '../../../engine/values/program.ts';
import { stepAt } from '../../../engine/values/timeline.ts';
import { classOf, gapAt, microbatchBlocks, microbatchOf, needsOf, typeOf } from '../../../webview/picture/blocks.ts';
import { blockTitle, filledIn, gapCause, shortName } from '../../../webview/picture/describe.ts';
import { rangeFigures, secondsByKind } from '../../../webview/picture/rangeFigures.ts';
import { find, parseQuery } from '../../../webview/input/query.ts';
import { type Picture } from '../../../webview/picture/picture.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { analyseExample } from '../../support/analyse.ts';

const folder = new URL('../../../examples/systems/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.pipe'));
const pictures = (file: string) =>
  analyseExample(`systems/${file}`).pipelines.map((evaluation) => {
    if (evaluation.run === undefined) throw new Error(`${file}: ${evaluation.plan.name} does not run`);
    return { plan: evaluation.plan, run: evaluation.run, picture: pictureOf(evaluation, evaluation.run, 1) };
  });
const found = (plan: Parameters<typeof find>[0], picture: Picture, query: string) => {
  const parsed = parseQuery(query);
  if (typeof parsed === 'string') throw new Error(parsed);
  return [...find(plan, picture, parsed)];
};

describe.each(names)('%s', (file) => {
  const all = pictures(file);

  it('names every operation as the program does, and finds it by its kind and microbatch', () => {
    for (const { plan, run, picture } of all) {
      const { columns } = picture;
      const operations = [...columns.word.keys()].filter((block) => columns.word[block] >= 0);
      const shown = operations.map((block) => shortName(plan, picture, block));
      expect(shown.toSorted()).toEqual(
        Array.from(run.program.order, (word) => operationName(run.program, word)).toSorted(),
      );
      for (const kind of letters) {
        const wanted = operations.filter((block) => typeOf(picture, block) === kind);
        expect(found(plan, picture, `kind:${kind}`)).toEqual(wanted);
      }
      const last = plan.microbatches * plan.iterations - 1;
      for (const microbatch of new Set([0, last])) {
        const wanted = operations.filter((block) => microbatchOf(picture, block) === microbatch);
        expect(found(plan, picture, `mb:${microbatch}`)).toEqual(wanted);
        expect(microbatchBlocks(picture, microbatch).toSorted((a, b) => a - b)).toEqual(wanted);
      }
    }
  });

  it('starts nothing before what it needs is there, and says what every gap waits for', () => {
    for (const { plan, picture } of all) {
      const { columns } = picture;
      const slack = columns.makespan * 1e-9;
      for (const block of columns.word.keys()) {
        for (const need of needsOf(picture, block)) {
          expect(need.arrival).toBeLessThanOrEqual(columns.start[block] + slack);
          expect(columns.end[need.from]).toBeLessThanOrEqual(need.arrival + slack);
        }
      }
      for (let device = 0; device < columns.rows; device += 1) {
        for (let block = columns.offsets[device] + 1; block < columns.offsets[device + 1]; block += 1) {
          const [from, to] = [columns.end[block - 1], columns.start[block]];
          const gap = to - from > 2 * slack ? gapAt(picture, device, (from + to) / 2) : undefined;
          if (gap === undefined) continue;
          expect([gap.from, gap.to, gap.before]).toEqual([from, to, block]);
          expect(gapCause(plan, picture, gap)).not.toBe('');
        }
      }
    }
  });

  it('adds up kinds of work to what devices are busy with', () => {
    for (const { run, picture } of all) {
      const { columns } = picture;
      const { fused } = run.program;
      const range = rangeFigures(picture, 0, columns.makespan, 0, columns.rows - 1);
      const step = run.timeline.exchanged
        .map((end, device) => end - stepAt(run.timeline, device) + run.timeline.timing.optimizer[device])
        .reduce((sum, part) => sum + part, 0);
      const busy = run.timeline.busy.reduce((sum, part) => sum + part, 0) + step;
      expect(range.busy).toBeCloseTo(busy, 9);
      // The two of a slot are each as long as the slot.
      if (fused === undefined) expect(secondsByKind(picture).reduce((sum, part) => sum + part, 0)).toBeCloseTo(busy, 9);
    }
  });
});

it('shows as many tasks of a fill job as the report counts, each within a gap, and names them there', () => {
  for (const { run, picture } of pictures('pipefill.pipe')) {
    const fill = run.report.fill;
    expect(picture.fill).toHaveLength(run.program.devices);
    for (const [device, stretches] of (picture.fill ?? []).entries()) {
      const sum = (values: Float64Array) => values.reduce((all, part) => all + part, 0);
      expect(sum(stretches.count)).toBe(fill?.devices[device].tasks);
      expect(sum(stretches.to) - sum(stretches.from)).toBeCloseTo(fill?.devices[device].time ?? Number.NaN, 9);
      for (const [index, from] of stretches.from.entries()) {
        const to = stretches.to[index];
        const gap = gapAt(picture, device, (from + to) / 2);
        expect(gap?.from ?? Number.NaN).toBeLessThanOrEqual(from);
        expect(gap?.to ?? Number.NaN).toBeGreaterThanOrEqual(to - 1e-12);
        // Seconds of the layers that are named make up the stretch.
        let seconds = 0;
        for (let task = 0; task < stretches.count[index]; task += 1)
          seconds += stretches.seconds[(stretches.first[index] + task) % stretches.layers.length];
        expect(to - from).toBeCloseTo(seconds, 9);
        if (gap === undefined) continue;
        expect(filledIn(picture, gap)).toContain(stretches.layers[stretches.first[index]]);
      }
    }
  }
});

it('calls what the first lane of pipeswitch does a load, not a forward', () => {
  for (const { picture } of pictures('pipeswitch.pipe')) {
    const { columns } = picture;
    const titles = [...columns.word.keys()].map((block) => blockTitle(picture, block));
    const loads = columns.offsets[1];
    expect(new Set(titles.slice(0, loads))).toEqual(new Set(['Weight loading · microbatch 0']));
    expect(new Set(titles.slice(loads))).toEqual(new Set(['Forward · microbatch 0']));
  }
});

it('takes an eviction before the first backward for no backward', () => {
  const [{ picture }] = pictures('bpipe.pipe');
  const { columns } = picture;
  const blocks = Array.from({ length: columns.offsets[1] }, (_, block) => block);
  const first = blocks.find((block) => typeOf(picture, block) === 'B') ?? -1;
  expect(blocks.slice(0, first).some((block) => typeOf(picture, block) === 'E')).toBe(true);
  const gap = gapAt(picture, 0, columns.start[first] - columns.makespan * 1e-6);
  expect(gap?.before).toBe(first);
  expect(gap && classOf(picture, gap)).toBe('warm-up');
});

it('says that a device stands in an exchange where what it needs is there already', () => {
  let standing = 0;
  for (const { plan, picture } of pictures('rendezvous.pipe')) {
    const { columns } = picture;
    for (let device = 0; device < columns.rows; device += 1) {
      for (let block = columns.offsets[device] + 1; block < columns.offsets[device + 1]; block += 1) {
        const gap = gapAt(picture, device, (columns.end[block - 1] + columns.start[block]) / 2);
        if (gap === undefined) continue;
        const there = needsOf(picture, block).every((need) => need.arrival < gap.to - columns.makespan * 1e-9);
        expect(gapCause(plan, picture, gap).includes('blocks this device')).toBe(there);
        if (there) standing += 1;
      }
    }
  }
  expect(standing).toBeGreaterThan(0);
});
