import { expect, test } from 'vitest';
import { after, analyse, codesOf } from '../../support/analyse.ts';
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
  const fixes = finding === undefined ? [] : fixesFor(tight, finding, analyse);
  const fix = fixes.find(({ title }) => title.startsWith('Recompute the MLPs of every stage: '));
  expect(fix, fixes.map(({ title }) => title).join('\n')).toBeDefined();
  if (fix === undefined) return;
  const changed = after(tight, fix);
  expect(changed.syntax.text).toContain('recompute = modules(mlp)');
  expect(codesOf(changed)).not.toContain('memory/out-of-memory');
});
