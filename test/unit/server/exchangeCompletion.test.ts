/** Completion at `sync =` and `collective =`: rules and collectives with the figures that they give in this file. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver';
import { exposedGradients } from '../../../engine/analyze/shares.ts';
import { collectives } from '../../../engine/exchange/collectives.ts';
import { exchangePresets } from '../../../engine/exchange/presets.ts';
import { figuresOf } from '../../../engine/fixes/effect.ts';
import { bytes, iterationTime, share } from '../../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { analyse } from '../../support/analyse.ts';
import { accepted, expectRanked, listed, rankedValue, type RankedValue, shown } from './listed.ts';
import { toy } from './samples.ts';

/** VGG-16 on the 8 GPUs of a node, without the pipelines but `ddp`. */
const vgg = readFileSync('examples/data-parallel.pipe', 'utf8')
  .replace(/\/\/\/ All gradients after[^]*?(?=\/\/\/ Buckets)/, '')
  .replace(/\/\/\/ What the next forward[^]*/, '');

const tuned = [
  'overlap(bucket = best)',
  'overlap(order = forward, partition = best, barrier = false)',
  'bytescheduler(partition = best, credit = best)',
];

const reportOf = (text: string): PipelineReport | undefined => analyse(text).pipelines[0]?.run?.report;

function rowOf(report: PipelineReport): string {
  const { iteration, peak, fits } = figuresOf(report);
  const words = [iterationTime(iteration), `waits ${share(exposedGradients(report))}`, bytes(peak)];
  return [...words, ...(fits ? [] : ['does not fit'])].join(' · ');
}

/** Each row has the figures of the file with its value, and the fastest that engines run come first. */
function expectFigures(text: string, items: readonly CompletionItem[]): void {
  const values: RankedValue[] = [];
  for (const item of items) {
    const report = reportOf(accepted(text, item));
    const row = shown(item).replace(' · with 8 servers', '');
    expect(`${item.label}: ${row}`).toBe(`${item.label}: ${report === undefined ? '' : rowOf(report)}`);
    if (report !== undefined && row === shown(item)) values.push(rankedValue(item, report.iteration));
  }
  expectRanked(values);
}

/** Without the rule that trains differently. */
async function ranked(text: string) {
  const found = await listed(text);
  return { ...found, items: found.items.filter(({ label }) => label !== 'local') };
}

const rowFor = (items: readonly CompletionItem[], label: string): string =>
  items.flatMap((item) => (item.label === label ? shown(item) : [])).join();

test('each rule of exchange has the figures of the file that accepting it gives', async () => {
  const { text, items } = await ranked(vgg.replace('= ddp', '= $0'));
  const names = ['end', ...exchangePresets.map(({ name }) => name), ...tuned];
  expect(items.map(({ label }) => label).toSorted()).toEqual(names.toSorted());
  expectFigures(text, items);
  // What the example expects of its pipelines. A ring takes 2 · 7/8 · S / (6 GB/s) and latencies: of all 553 MB after 168.1 ms.
  expect(rowFor(items, 'end')).toMatch(/^329\.6 ms · waits 49 % · /);
  expect(rowFor(items, 'ddp')).toMatch(/^220\.4 ms · /);
  expect(rowFor(items, 'bytescheduler(partition = best, credit = best)')).toMatch(/^170\.1 ms · /);
  const pulls = items.at(-1);
  expect(pulls?.label).toBe('tictac');
  expect(JSON.stringify(pulls?.documentation)).toContain('because ring has no pulls');
});

test('with one data rank no rule has figures, but the reason why none differs', async () => {
  const { items } = await ranked(toy.replace('schedule     = 1f1b', 'schedule     = 1f1b\n  sync = $0'));
  expect(items[0]?.label).toBe('end');
  expect(items.every((item) => shown(item) === '')).toBe(true);
  expect(JSON.stringify(items[1]?.documentation)).toContain('No gradients are exchanged here');
});

test('each collective has the figures of the file that accepting it gives, but a table, which needs a file', async () => {
  const { text, items } = await ranked(vgg.replace('= ring', '= tr$0ee(call = 20us)'));
  expect(items.map(({ label }) => label).toSorted()).toEqual(collectives.map(({ name }) => name).toSorted());
  expectFigures(text, items);
  expect(rowFor(items, 'ring')).toMatch(/^220\.4 ms · /);
  expect(items.at(-1)?.label).toBe('table');
  const servers = items.filter((item) => shown(item).endsWith(' · with 8 servers'));
  expect(servers.map(({ label }) => label)).toEqual(['ps']);
  expect(items.at(-2)).toBe(servers[0]);
  const ring = items.find(({ label }) => label === 'ring');
  expect(ring && accepted(text, ring)).toContain('collective   = ring\n');
});

test('rules that go through servers unless the file names a collective come after those that need no other machines', async () => {
  const { text, items } = await ranked(vgg.replace('= ddp', '= $0').replace(/ {2}collective .*\n/, ''));
  expectFigures(text, items);
  const servers = items.filter((item) => shown(item).endsWith(' · with 8 servers'));
  expect(servers.map(({ label }) => label).toSorted()).toEqual(['hybrid', 'p3', 'tictac', 'wfbp']);
  expect(items.slice(-4)).toEqual(servers);
  expect(JSON.stringify(servers[0].documentation)).toContain('machines that the cluster does not have');
});

test('rules that the engine tunes are offered with their figures only, and not where the rest has errors', async () => {
  const { items } = await ranked(vgg.replace('= ddp', '= $0').replace('= vgg16', '= nothing'));
  expect(items.map(({ label }) => label).toSorted()).toEqual(
    ['end', ...exchangePresets.map(({ name }) => name)].toSorted(),
  );
  expect(items.every((item) => shown(item) === '')).toBe(true);
});

test('a rule under a collective that only some rules can use has its figures, too', async () => {
  const { text, items } = await ranked(vgg.replace('= ddp', '= $0').replace('= ring', '= ps(servers = 4)'));
  expectFigures(text, items);
  expect(rowFor(items, 'tictac')).toMatch(/ ms · waits /);
});

test('a rule that trains differently is offered without figures, and says why', async () => {
  const { items } = await listed(vgg.replace('= ddp', '= $0'));
  const local = items.find(({ label }) => label === 'local');
  expect(local && shown(local)).toBe('');
  expect(JSON.stringify(local?.documentation)).toContain('train differently');
});
