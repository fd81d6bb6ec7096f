import { expect, test } from 'vitest';
import { after, analyse, codesOf, checkedAfter } from '../../support/analyse.ts';
import { usualMargin } from '../../../engine/analyze/spread.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';

test('the MLPs alone are recomputed where that is enough: less time than whole layers', () => {
  const file = analyse(`
device d { memory = 10GiB  compute(bf16) = 300TFLOPS }
cluster c { gpu[2] = d  link = 400GB/s }
model m { sequence = 4096
  layer block[8] = transformer(hidden = 2048, heads = 16, ffn = 8192, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false) }
pipeline p { model = m  devices = c  microbatches = 8  stages = split(4, 4)  schedule = 1f1b  optimizer = megatron_bf16 }
`);
  const peak = file.pipelines[0]?.run?.report.devices[0]?.peak ?? NaN;
  const tight = analyse(file.syntax.text.replace('10GiB', `${Math.floor(peak / 2 ** 20) - 256}MiB`));
  const finding = tight.findings.find(({ code }) => code === 'memory/out-of-memory');
  expect(finding).toBeDefined();
  const fixes = finding === undefined ? [] : fixesFor(tight, finding, checkedAfter(tight));
  const fix = fixes.find(({ title }) => title.startsWith('Recompute the MLPs of every stage: '));
  expect(fix, fixes.map(({ title }) => title).join('\n')).toBeDefined();
  if (fix === undefined) return;
  const changed = after(tight, fix);
  expect(changed.syntax.text).toContain('recompute = modules(mlp)');
  expect(codesOf(changed)).not.toContain('memory/out-of-memory');
});

/** Two stages of eight layers; whole layers are recomputed, the first ones of each stage. */
const layered = (memory: string, more = '') => `
device d { memory = ${memory}  compute(bf16) = 300TFLOPS }
cluster c { gpu[2] = d  link = 400GB/s }
model m { sequence = 4096
  layer block[16] = transformer(hidden = 2048, heads = 16, ffn = 8192, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false) }
pipeline p { model = m  devices = c  microbatches = 8  stages = split(8, 8)  schedule = 1f1b  optimizer = megatron_bf16${more} }
`;
const peakWith = (more: string): number =>
  Math.max(...(analyse(layered('80GiB', more)).pipelines[0]?.run?.report.devices.map(({ peak }) => peak) ?? [NaN]));
const fixesIn = (file: ReturnType<typeof analyse>) => {
  const finding = file.findings.find(({ code }) => code === 'memory/out-of-memory');
  return finding === undefined ? [] : fixesFor(file, finding, checkedAfter(file));
};

/** The share of a device that may be full with that margin. */
const kept = 1 - usualMargin(analyse(layered('80GiB')).pipelines[0]?.plan.runKind);

test.each([3, 5, 7])('%i layers are recomputed where fewer leave less than the margin of memory/headroom', (layers) => {
  const [fits, misses] = [layers, layers - 1].map((each) => peakWith(`  recompute = full(layers = ${each})`));
  expect(fits).toBeLessThan(misses);
  // Without recomputation it does not fit at all.
  const file = analyse(layered(`${Math.min(Math.ceil((fits + misses) / 2 / kept), peakWith('') - 1)}B`));
  const fixes = fixesIn(file);
  const titles = fixes.map(({ title }) => title);
  const fix = fixes.find(({ title }) => title.startsWith(`Recompute ${layers} layers of every stage: `));
  expect(fix, titles.join('\n')).toBeDefined();
  expect(fix?.title).not.toContain(' left');
  if (fix === undefined) return;
  const changed = after(file, fix);
  expect(changed.syntax.text).toContain(`recompute = full(layers = ${layers})`);
  expect(codesOf(changed)).not.toContain('memory/out-of-memory');
});

test('more layers are recomputed where the file says too few', () => {
  const [few, ...more] = [2, 3, 4, 5, 6, 7, 8].map((each) => peakWith(`  recompute = full(layers = ${each})`));
  const file = analyse(layered(`${few - 1}B`, '  recompute = full(layers = 2)'));
  const enough = 3 + more.findIndex((peak) => peak <= kept * (few - 1));
  const fix = fixesIn(file).find(({ title }) => title.startsWith(`Recompute ${enough} layers of every stage: `));
  expect(enough).toBeGreaterThan(2);
  expect(fix && after(file, fix).syntax.text).toContain(`recompute = full(layers = ${enough})`);
});

test('no number of layers is offered where all of them do not fit', () => {
  const file = analyse(layered(`${Math.floor(peakWith('  recompute = full') * 0.99)}B`));
  expect(fixesIn(file).filter(({ title }) => /^Recompute \d/.test(title))).toEqual([]);
});

test('norms and experts are recomputed at once where neither alone is enough', () => {
  const mixture = (memory: string, more = '') =>
    layered(memory, more).replace('ffn = 8192', 'ffn = 2048, experts = 8, experts_per_token = 2');
  const peakOf = (more: string): number =>
    Math.max(...(analyse(mixture('80GiB', more)).pipelines[0]?.run?.report.devices.map(({ peak }) => peak) ?? [NaN]));
  const both = peakOf('  recompute = modules(layernorm, moe)');
  const one = Math.min(peakOf('  recompute = modules(moe)'), peakOf('  recompute = modules(layernorm)'));
  expect(both).toBeLessThan(one - 2 ** 26);
  const titles = fixesIn(analyse(mixture(`${Math.floor((both + one) / 2 ** 21)}MiB`))).map(({ title }) => title);
  expect(titles.join('\n')).toContain('Recompute the norms and experts of every stage: ');
  expect(titles.join('\n')).not.toMatch(/Recompute the (?:norms|experts) of every stage: /);
});
