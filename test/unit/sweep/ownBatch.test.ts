/** Rows whose ranks do not divide the samples that rows share: what they have instead, and how they compare. */
import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { check } from '../../../engine/flow/check.ts';
import { type Asked, planAnswer } from '../../../engine/sweep/answer.ts';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { mergeAnswers } from '../../../engine/sweep/merge.ts';
import { samplesOf } from '../../../engine/sweep/ownBatch.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { outcomeOf, rowsSearch } from '../../../engine/sweep/rowsSearch.ts';
import { rowText } from '../../../engine/sweep/rowText.ts';
import { holdsAtEveryStop } from './everyStop.ts';
import { dense, devices, pipeline } from './spaceCase.ts';
import { runHere, sweepCase } from './sweepCase.ts';

/** On six devices, of which six, three and two can share 42 samples. */
const text =
  devices.replace('gpu[4] = card', 'gpu[3] = card').replace('memory = 24GiB', 'memory = 80GiB') +
  dense() +
  pipeline('dense').replace('data         = 2', 'data = 1').replace('balance(4)', 'balance(6)').replace('= 16', '= 42');
const over = 'pipeline = [1, 2, 3, 6], micro_batch = [1, 2, 4, 5], schedule = [1f1b, interleaved_1f1b], chunks = [2]';
const asked = 42;
const six = sweepCase(over, { text, asked });
const all = Array.from({ length: rowCount(six.axes) }, (_, row) => outcomeOf(six.base, six.axes, row, []));
const ran = all.flatMap((outcome, row) => (outcome.kind === 'ran' ? [{ row, ...outcome.figures }] : []));

describe('samples of a row', () => {
  test.each([
    // What ranks share stays, even if another number is nearer to what was asked for.
    [480, 488.3, 32, 1, 480],
    [480, 488.3, 64, 1, 512],
    // 448 is 8.3 % off, 512 is 4.9 % off; of 500, both are: 2.4 % and 10.4 %.
    [480, 500, 64, 1, 512],
    [480, 470, 64, 1, 448],
    [480, 480, 128, 1, undefined],
    // Whole groups of 18 microbatches, if a number near it has them.
    [480, 488.3, 4, 18, 504],
    [480, 488.3, 12, 18, 480],
    [256, 256, 20, 1, 260],
  ])('%f shared, %f asked for, %i at a time in groups of %i: %s', (batch, wish, unit, group, expected) => {
    expect(samplesOf({ batch, asked: wish }, unit, group)).toBe(expected);
  });

  test('are the nearest multiple, within 5 % of what was asked for', () => {
    const whole = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(whole, fc.integer({ min: 10, max: 6_000 }), whole, (batch, tenths, unit) => {
        const wish = tenths / 10;
        const multiples = Array.from({ length: 1_300 }, (_, at) => at + 1).filter((each) => each % unit === 0);
        const near = multiples.filter((each) => Math.abs(each - wish) <= 0.05 * wish);
        const least = Math.min(...near.map((each) => Math.abs(each - wish)));
        const found = samplesOf({ batch, asked: wish }, unit, 1);
        if (batch % unit === 0) expect(found).toBe(batch);
        else if (near.length === 0) expect(found).toBeUndefined();
        else expect([near.includes(found ?? 0), Math.abs((found ?? 0) - wish)]).toEqual([true, least]);
      }),
    );
  });

  test('stay those of the file if no number was asked for', () => {
    expect(samplesOf({ batch: 480 }, 64, 1)).toBeUndefined();
    expect(samplesOf({ batch: 480 }, 32, 7)).toBe(480);
  });
});

describe('rows of a search', () => {
  test('have the figures of the file that each writes, and compare by those for the samples of most', () => {
    const batches = new Set(ran.map(({ batch }) => batch));
    expect(batches).toEqual(new Set([40, 44, undefined]));
    for (const { row, iteration, scaled, batch = 42 } of ran) {
      expect(Math.abs(batch / asked - 1)).toBeLessThanOrEqual(0.05);
      expect(scaled).toBe(batch === 42 ? undefined : (iteration * 42) / batch);
      const placed = placeRow(six.base, six.axes, settingsOf(six.axes, row));
      const written = 'refused' in placed ? placed : rowText(six.base, placed);
      if ('refused' in written) throw new Error(written.refused);
      expect(written.text).toMatch(new RegExp(`global_batch = ${batch}$`, 'mu'));
      const { uri, host, options } = six.base.file;
      const [{ plan, run }] = check({ uri, text: written.text, host, options }).pipelines;
      expect(plan.microbatches * plan.microBatchSize * plan.data).toBe(batch);
      expect(run?.report.iteration).toBe(iteration);
    }
  });

  test('are on the front, or not, as in a simulation of all of them, wherever the search stops', () => {
    const stops = holdsAtEveryStop(six);
    expect(stops.bounded).toBeGreaterThan(0);
    expect(stops.dropped).toBeGreaterThan(0);
    expect(stops.ran).toBe(ran.length);
  });

  test('are the same on threads', () => {
    const { uri, text: whole, options } = six.base.file;
    const problem = {
      source: { uri, text: whole, options, asked, pipeline: 'train', limits: [], axes: six.axes, files: {}, paths: {} },
      ...{ rows: ran.map(({ row }) => row), front: [] },
    };
    const outcomes = toEnd(rowsSearch.steps(problem));
    expect(outcomes).toEqual(ran.map(({ row }) => all[row]));
  });

  test('are bounded by their own samples: of equal stages whose bounds are their times', () => {
    const even = `device card { memory = 64GiB }
cluster box { gpu[6] = card  link = 100GB/s }
model even { layer l[12] { forward = 1ms  backward = 2ms  weights = 1MiB  activation = 1MiB } }
pipeline train { model = even  devices = box  data = 1  global_batch = 42  stages = balance(6)  schedule = 1f1b }
`;
    const exact = sweepCase('pipeline = [1, 2, 3, 6], schedule = [1f1b, gpipe]', { text: even, asked: 44 });
    // Devices in six data ranks have 42 samples, whatever was asked for; those in four would have 44.
    expect(holdsAtEveryStop(exact).ran).toBe(8);
    const four = sweepCase('pipeline = [1, 2], schedule = [1f1b, gpipe, zb_h1]', {
      text: even.replace('gpu[6]', 'gpu[4]').replace('balance(6)', 'balance(4)'),
      asked: 44,
    });
    expect(runHere(four).points.map(({ batch }) => batch)).toContain(44);
    expect(holdsAtEveryStop(four).bounded).toBeGreaterThan(0);
  });

  test('say their samples in the answer, and what their times are for', () => {
    const { base, axes } = sweepCase('pipeline = [1], micro_batch = [4], schedule = 1f1b', { text, asked: 48 });
    const { points, ...answer } = planAnswer(
      base,
      { file: 'a.pipe', axes, minimise: 'iteration', limits: [] },
      runHere({ base, axes }),
    );
    expect(answer).toMatchObject({ batch: 42, batch_asked: 48 });
    expect(points).toMatchObject([{ batch: 48, data: 6, microbatches: 2 }]);
    expect(answer.certificate).toContain('An iteration of row 0 has 48 instead of 42 samples, +14.3 %, and takes');
    expect(answer.changes).toContainEqual({ key: 'global_batch', from: '42', to: '48' });
  });

  test('are no parts of one search if other numbers were asked for', () => {
    const source = { program: '1', text: 'a', files: {}, params: {} };
    const partOf = (index: number, wish: number) => {
      const part = sweepCase(over, { text, asked: wish });
      const question: Asked = {
        ...{ file: 'a.pipe', source, axes: part.axes, minimise: 'iteration', limits: [] },
        shard: { index, of: 2 },
      };
      return planAnswer(part.base, question, runHere(part, question.shard));
    };
    expect(mergeAnswers([partOf(1, asked), partOf(2, asked)])).not.toHaveProperty('problem');
    expect(mergeAnswers([partOf(1, asked), partOf(2, 43)])).toEqual({
      problem: 'Part 1/2 of a.pipe and Part 2/2 of a.pipe cannot be merged: different batches were asked for.',
    });
  });
});
