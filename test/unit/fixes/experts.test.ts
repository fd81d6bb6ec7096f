/** Plans as people write them: what an expert would change, or something better by the simulation, is among the first fixes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';
import { checkPromise } from './promise.ts';

interface Case {
  readonly file: string;
  readonly code: Code;
  /** What one of the first three titles has. */
  readonly title: RegExp;
  /** Most that its iteration may be longer, as a share of today's; it may be less than 0. */
  readonly most: number;
}

const cases: readonly Case[] = [
  { file: '01_7b_a100_40', code: 'memory/out-of-memory', title: /^Shard optimizer, gradients and weights/, most: 0 },
  { file: '02_mixtral_no_expert_ranks', code: 'memory/out-of-memory', title: /^Use \d expert ranks/, most: 0.05 },
  { file: '03_70b_tp8_nosp', code: 'memory/out-of-memory', title: /^Set sequence_parallel = true/, most: -0.05 },
  { file: '04_lora_70b', code: 'memory/out-of-memory', title: /^Keep the frozen weights as nf4/, most: 0.35 },
  { file: '05_405b_bubble', code: 'memory/out-of-memory', title: /context/, most: -0.1 },
  { file: '05_405b_bubble', code: 'schedule/bubble', title: /use interleaved_1f1b\(chunks = 8\)/, most: -0.25 },
  { file: '06_ddp_ethernet', code: 'comm/exposed', title: /use interleaved_1f1b\(chunks = 5\)/, most: -0.24 },
  {
    file: '07_long_128k',
    code: 'memory/out-of-memory',
    title: /sequence_parallel = true, and use 4 context/,
    most: -0.1,
  },
  { file: '08_zero3_infiniband', code: 'comm/exposed', title: /^Set micro_batch to/, most: -0.1 },
  { file: '09_4090_ethernet', code: 'memory/out-of-memory', title: /^Use seq1f1b/, most: -0.15 },
  { file: '10_vocabulary', code: 'memory/out-of-memory', title: /^Fuse the loss/, most: 0.001 },
  { file: '12_lora_70b_4090', code: 'memory/out-of-memory', title: /^Keep the frozen weights as nf4/, most: 0.35 },
  { file: '13_13b_a100_40', code: 'memory/out-of-memory', title: /shard optimizer, gradients and weights/, most: 0.12 },
  {
    file: '14_70b_128k',
    code: 'memory/out-of-memory',
    title: /^Use \d context.* recompute the MLPs/,
    most: 0.005,
  },
  { file: '15_8b_ethernet', code: 'comm/exposed', title: /^Shard over groups of 8 ranks/, most: -0.12 },
  { file: '16_70b_one_node', code: 'memory/out-of-memory', title: /^Use 2 nodes and/, most: 0 },
  { file: '17_qwen3_30b_tensor', code: 'comm/exposed', title: /^Use 1 tensor .* 8 expert ranks/, most: -0.5 },
  { file: '18_70b_gpipe_full', code: 'schedule/bubble', title: /^Recompute no stage, .*1f1b/, most: -0.3 },
  { file: '19_7b_torchtitan', code: 'memory/out-of-memory', title: /^Shard .* micro_batch to 1/, most: 0 },
  {
    file: '20_deepseek_v3_256',
    code: 'memory/out-of-memory',
    title: /^Use 8 data and 32 pipeline ranks .* recompute/,
    most: 0.35,
  },
];

describe.each(cases)('$file, $code', ({ file, code, title, most }) => {
  const analysis = analyse(readFileSync(join(import.meta.dirname, `../../data/advice/${file}.pipe`), 'utf8'));
  const finding = analysis.findings.find((found) => found.code === code);
  const fixes = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));

  it('has it among the first three, within the memory and as fast as it should be', () => {
    const found = fixes.slice(0, 3).find((fix) => title.test(fix.title));
    expect(found?.effect?.after.fits, fixes.map((fix) => fix.title).join('\n')).toBe(true);
    const { before, after } = found?.effect ?? {};
    expect((after?.iteration ?? NaN) / (before?.iteration ?? NaN) - 1).toBeLessThanOrEqual(most);
  });

  it('does what each title says, and the first keeps every device within its memory', () => {
    for (const fix of fixes) checkPromise(analysis, fix, { lessens: code !== 'memory/out-of-memory' });
    expect(fixes[0]?.effect?.after.fits).toBe(true);
  });
});

it('expert ranks next to tensor ranks get sequence parallelism before they are taken away', () => {
  const analysis = analyse(readFileSync(join(import.meta.dirname, '../../data/advice/11_235b_experts.pipe'), 'utf8'));
  const [finding] = analysis.findings.filter(({ code }) => code === 'value/range');
  const fixes = fixesFor(analysis, finding, checkedAfter(analysis));
  expect(fixes.map(({ title }) => title.split(':')[0])).toEqual([
    'Set sequence_parallel = true',
    'Change to 1',
    'Remove "expert"',
  ]);
  expect(fixes[0].effect?.after.fits).toBe(true);
});
