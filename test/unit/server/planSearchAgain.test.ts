/** A search for plans that is stopped more than once. */
import { expect, test } from 'vitest';
import type { Asked } from '../../../engine/sweep/answer.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { sweepSteps } from '../../../engine/sweep/sweep.ts';
import { nodePlatform } from '../../../platform/node/platform.ts';
import { planSearch } from '../../../server/searches/planSearch.ts';
import { shaped, sweepCase } from '../sweep/sweepCase.ts';

const over =
  'pipeline = [1, 2, 4, 8], tensor = [1, 2, 4], schedule = [1f1b, gpipe, zb_h1, zb_h2, eager_1f1b], recompute = [none, full, selective], micro_batch = [1, 2]';

test('a search that is stopped twice keeps what it had after the first time', async () => {
  const { base, axes } = sweepCase(over);
  const asked: Asked = { file: 'a.pipe', axes, minimise: 'iteration', limits: [] };
  const source = {
    ...{ uri: 'file:///a.pipe', text: shaped, options: defaultOptions, pipeline: 'train', limits: [], axes },
    ...{ files: {}, paths: {} },
  };
  const search = planSearch(base, source, asked);
  const first = sweepSteps(base, axes).next();
  const wave = new Set(first.done === true ? [] : first.value.rows);
  // The first wave has a row of each class: the search is stopped in a later one.
  const stopped = await search.run({
    platform: nodePlatform,
    found({ points }) {
      if (points.some(({ row }) => !wave.has(row))) search.stop();
    },
  });
  expect(stopped?.unsearched).toBeGreaterThan(0);
  expect(stopped?.points.some(({ row }) => !wave.has(row))).toBe(true);
  const again = search.run({ platform: nodePlatform, found: () => undefined });
  search.stop();
  const kept = await again;
  expect(kept?.simulated).toBe(stopped?.simulated);
  expect(kept?.unsearched).toBe(stopped?.unsearched);
  expect(kept?.points).toEqual(stopped?.points);
});
