/** What the page on better orders shows is what its commands print, and what it claims of other schedules holds. */
import { describe, expect, test } from 'vitest';
import { share } from '../../../engine/basics/quantities.ts';
import { analyse } from '../../support/analyse.ts';
import { call, type Called } from '../cli/harness.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/do/find-a-better-order.md');
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(/^```([a-z ]+)\n([^]*?)^```$/gm)].flatMap(([, of, block]) => (of === language ? [block] : []));

const [train, ...others] = blocksOf('pipe');
const [expectation, imported] = blocksOf('pipe part');
const under = (schedule: string): string => train.replace('= zb_auto', `= ${schedule}`);
const files: Record<string, string> = {
  'train.pipe': train,
  'gap.pipe': `${train}${expectation}`,
  'kept.pipe': `${imported}${under('train_order')}`,
  'noisy.pipe': train.replace('= zb_auto', '= zb_auto\n  jitter = 5%'),
  'flushless.pipe': under('pipedream'),
};
/** Commands whose exit status is 1. */
const failing = ['gap.pipe', 'flushless.pipe'];

function run(words: readonly string[]): Promise<Called> {
  return call(words, { files });
}

describe('every command prints what the page shows', () => {
  // In the order of the page: a file that one writes is there for the next.
  test.each(blocksOf('console').map((block) => [block.split('\n')[0], block] as const))('%s', async (_, block) => {
    let shown = '';
    for (const line of block.trimEnd().split('\n')) {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
      if (words[0] !== '$') expect(shown).toContain(`${line}\n`);
      else if (words[1] === 'head') shown = files[words[3]];
      else {
        const { out, err, status, files: after } = await run(words.slice(2));
        const fails = failing.includes(words[3]) || out.includes('! exceeds the memory of the device');
        expect(status, err).toBe(fails ? 1 : 0);
        const written = words[words.indexOf('--output') + 1];
        if (words.includes('--output')) files[written] = after[written] ?? '';
        shown = (out + err).replaceAll('\r\n', '\n');
      }
    }
  });
});

test('the page has one file, and the kept order is proven to be under the gap that CI asks for', async () => {
  expect(others).toEqual([]);
  expect(blocksOf('console').length).toBeGreaterThan(8);
  files['kept.pipe'] += expectation;
  const { status, out } = await run(['check', 'kept.pipe']);
  expect(status, out).toBe(0);
});

const reportOf = (schedule: string) => {
  const found = analyse(under(schedule)).pipelines.find(({ plan }) => plan.name === 'train')?.run?.report;
  if (found === undefined) throw new Error(schedule);
  return { ...found, fits: found.devices.every(({ peak, capacity }) => peak <= capacity) };
};
const inEight = (schedule: string) => {
  const text = under(schedule).replace('split(4, 4, 4, 4)', 'balance(8)');
  const found = analyse(text).pipelines[0].run?.report;
  if (found === undefined) throw new Error(schedule);
  return { ...found, fits: found.devices.every(({ peak, capacity }) => peak <= capacity) };
};

test('what the page says of other arguments and schedules', () => {
  const [searched, whole] = [reportOf('search'), reportOf('search(backward = whole)')];
  expect(page).toContain(
    `Here that costs ${share(Math.round((whole.iteration / searched.iteration - 1) * 100) / 100)} |`,
  );
  expect(reportOf('search(limit = 4)').fits).toBe(false);
  const [half, full, chunks] = [inEight('v_half'), inEight('zb_v'), inEight('search(chunks = 2)')];
  expect([half.fits, full.fits, chunks.fits]).toEqual([true, false, true]);
  expect(chunks.iteration).toBeLessThan(half.iteration);
  // Three microbatches fit, and four do not.
  expect(searched.devices.every((device) => device.in_flight <= 3)).toBe(true);
  // The bound and the bubble of the file: what another order could save.
  const { bubble } = reportOf('zb_auto');
  expect(share(bubble.makespan - bubble.bound)).toBe('2 %');
});

test.each([
  ['pipedream', 'its iterations follow each other without a flush'],
  ['chimera', 'its stages have copies or segments'],
  ['seq1f1b(segments = 2)', ''],
  ['search(limit = 100MiB)', 'is less than the 2 GiB that one microbatch keeps on device 0'],
  ['search(chunks = 3)', 'chunks'],
])('%s is refused', async (schedule, reason) => {
  const text = under(schedule);
  const { status, err } = await call(['search', 'a.pipe'], { files: { 'a.pipe': text } });
  expect(status).toBe(1);
  const { findings } = analyse(text);
  expect(err + findings.map(({ message }) => message).join('\n')).toContain(reason);
});
