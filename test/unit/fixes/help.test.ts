/** Help on a timeline and quick fixes in the text are one list. */
import { expect, it } from 'vitest';
import { ampleRoomText } from '../../../engine/analyze/memoryWords.ts';
import { helpSteps, type HelpTopic } from '../../../engine/fixes/help.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { analyse, fixesOf } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const helpOn = (text: string, topic: HelpTopic) => toEnd(helpSteps(analyse(text), 'train', topic, analyse));
const titlesOf = (fixes: readonly { readonly title: string }[]) => fixes.map(({ title }) => title);

const keys = (schedule: string) => `  microbatches = 8\n  stages = balance(4)\n  schedule = ${schedule}`;

it.each(['1f1b', 'zb_h1'])('ranks changes against idle time under %s as the quick fixes do', (schedule) => {
  // Fits with one change and not with another, so that an order by the room alone would differ.
  const text = pipe({ memory: '6GiB', pipeline: keys(schedule) });
  expect(titlesOf(helpOn(text, { about: 'bubble' }))).toEqual(
    titlesOf(fixesOf(analyse(text), 'schedule/bubble')).slice(0, 3),
  );
});

it.each(['4.1GiB', '4.5GiB', '6GiB'])(
  'makes room on a device that lacks some of %s as the quick fixes do',
  (memory) => {
    const text = pipe({ memory, pipeline: keys('gpipe') });
    const fixes = fixesOf(analyse(text), 'memory/out-of-memory');
    const about = fixes.filter(({ finding }) => finding === fixes[0].finding);
    expect(titlesOf(helpOn(text, { about: 'memory' }))).toEqual(titlesOf(about).slice(0, 3));
  },
);

it('makes room on a device with much free memory by changes that cost no time, or by none', () => {
  // 4 microbatches of 2 × 512 MiB, weights and gradients of 512 MiB each, and 16 MiB of buffers: 5.02 GiB.
  const room = (memory: string) =>
    helpOn(pipe({ memory, pipeline: keys('1f1b') }), { about: 'memory', device: 0 }).map(({ effect }) => {
      const { before, after } = effect ?? {};
      expect(after?.peak).toBeLessThan(before?.peak ?? NaN);
      return (before?.throughput ?? NaN) / (after?.throughput ?? NaN) - 1;
    });
  const tight = room('6GiB');
  expect(tight.some((cost) => cost > 0.005)).toBe(true);
  const ample = room('8GiB');
  expect(ample.filter((cost) => cost > 0.005)).toEqual([]);
});

it('says of a device with more than a fifth of its memory free that nothing needs to be freed', () => {
  const device = { name: 'gpu[0]', capacity: 100 };
  expect(ampleRoomText({ ...device, peak: 69 })).toBe('gpu[0] has 31 % of its memory free: nothing needs to be freed.');
  expect(ampleRoomText({ ...device, peak: 80 })).toBe('');
  expect(ampleRoomText({ ...device, peak: 120 })).toBe('');
});

it.each([
  ['', true],
  ['operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }', false],
  ['time(F, s, j) = time(F, s) * 2', false],
])('proposes no other schedule for work that only this one does: %s', (work, proposes) => {
  const order = work.startsWith('operation')
    ? 'row(d) = each(j in 0..<microbatches, F[j], loss[j], B[j])'
    : 'row(d) = each(j in 0..<microbatches, F[j], B[j])';
  const text = `${pipe({ memory: '16GiB', pipeline: keys('mine') })}\nschedule mine { ${work}  ${order} }\n`;
  const analysis = analyse(text);
  const bubble = analysis.findings.find(({ code }) => code === 'schedule/bubble');
  expect(/Under \w+ \([^()]*\) it would reach/.test(bubble?.message ?? 'none')).toBe(proposes);
  expect(titlesOf(fixesOf(analysis, 'schedule/bubble')).some((title) => title.startsWith('Use '))).toBe(proposes);
});
