import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { h100Flash2Rates, h100Rates } from '../../../../engine/std/kernelShares.ts';
import { analyseExample } from '../../../support/analyse.ts';
import { exampleText } from '../../../support/example.ts';
import { repository, textOf } from '../../docs/pages.ts';
import { families } from './published/families.ts';
import { deviation, predicted } from './published/run.ts';
import { llama3 } from './published/llama3.ts';
import { llmFoundry } from './published/llmFoundry.ts';
import { nemoLongContext } from './published/nemoLongContext.ts';
import type { Run } from './published/run.ts';
import { torchtitan } from './published/torchtitan.ts';
import { bubbleRates } from './published/zeroBubble.ts';
import { promises } from './promises.ts';
import { errorOf, predictions, recordedTable } from './recorded.ts';
import { errorsText, spreadTable } from './spreads.ts';
import { meanOf, overallOf, range, summaryOf, tableOf } from './table.ts';

/** What the figures are worth, and the tables behind it. */
const pages = ['docs/understand/how-accurate.md', 'docs/accuracy.md'];
const textOfPages = (): string => pages.map(textOf).join('\n');
const errorsFile = 'engine/analyze/publishedErrors.ts';
const fences = /^<!-- runs (\w+) -->\n([^]*?)^<!-- end -->$/gm;
const tables: Readonly<Record<string, () => string>> = {
  overall: () => overallOf(families),
  summary: () => summaryOf(families),
  recorded: recordedTable,
  spread: () => spreadTable(families),
  ...Object.fromEntries(families.map((family) => [family.name, () => tableOf(family)])),
};

// `UPDATE_ACCURACY=1 vitest run test/unit/flow/accuracy` writes them anew.
if (process.env['UPDATE_ACCURACY'] === '1') {
  for (const page of pages) {
    const text = textOf(page).replace(fences, (all, name: string) => {
      const made = tables[name]?.();
      return made === undefined ? all : `<!-- runs ${name} -->\n\n${made}\n<!-- end -->`;
    });
    writeFileSync(join(repository, page), text);
  }
  writeFileSync(join(repository, errorsFile), await errorsText(families));
}

test('the engine carries the errors of these runs', async () => {
  expect(textOf(errorsFile)).toBe(await errorsText(families));
});

describe('the pages of accuracy', () => {
  const found = [...textOfPages().matchAll(fences)].map(([, name, text]) => [name, text] as const);

  test('have every table once', () => {
    expect(found.map(([name]) => name).toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  test.each(found)('shows the runs of %s as the engine has them', (name, text) => {
    expect(text.trim()).toBe(tables[name]?.().trim());
  });

  test.each(promises)('promises in words: $text', ({ text }) => {
    expect(textOfPages().replaceAll(/\s+/g, ' ').includes(text), text).toBe(true);
  });
});

test.each(predictions)('$0.run predicts $1.run', (from, to, most) => {
  expect(Math.abs(errorOf(from, to))).toBeLessThan(most);
});

test('every run has a figure, and the settings of a column differ', () => {
  for (const { name, columns, runs } of families) {
    for (const run of runs) expect(Number.isFinite(deviation(run)), `${name}: ${run.name}`).toBe(true);
    if (columns === undefined) continue;
    const cells = runs.map((run) => `${run.setting}: ${run.name}`);
    expect(new Set(cells).size).toBe(cells.length);
    expect(runs.filter((run) => !columns.includes(run.name))).toEqual([]);
  }
});

test('Llama 3.1 405B with FSDP alone does not fit on 128 H100s of 96 GB, as torchtitan reports (docs/performance.md, December 2024)', () => {
  const text = exampleText('published/torchtitan.pipe');
  const alone = text.replace(/^pipeline tensor_128_fp8 \{[^]*?^\}/m, (pipeline) =>
    pipeline.replace(/^ *(?:tensor|sequence_parallel) .*\n/gm, '').replace(/data( *)= 16/, 'data$1= 128'),
  );
  const { findings } = analyseExample('published/torchtitan.pipe', {}, alone);
  const full = findings.filter(({ code }) => code === 'memory/out-of-memory');
  expect(full.length).toBeGreaterThan(0);
  // Nothing else of the file does not fit.
  const at = [alone.indexOf('pipeline tensor_128_fp8 {'), alone.indexOf('pipeline tensor_128_fp8_async {')];
  for (const { place } of full) expect(place.start > at[0] && place.start < at[1]).toBe(true);
});

test.each(['full_22b', 'full_175b', 'full_530b', 'full_1t'])(
  '%s does not fit on A100s of 80 GB with all of its activations, as its authors report (arXiv:2205.05198, figure 1), and fits as it ran',
  (name) => {
    const file = 'published/activation_recomputation.pipe';
    const fullest = (text?: string): number => {
      const run = analyseExample(file, {}, text).pipelines.find(({ plan }) => plan.name === name)?.run;
      return Math.max(...(run?.report.devices ?? []).map(({ peak, capacity }) => peak / capacity));
    };
    expect(fullest()).toBeLessThan(1);
    expect(fullest(exampleText(file).replaceAll(/^ *recompute *= full\n/gm, ''))).toBeGreaterThan(1.2);
  },
);

/** Share by which a run is off in a changed text of its example. */
function off(run: Run, text: string): number {
  const { pipelines } = analyseExample(`published/${run.file}`, run.sliders ?? {}, text);
  const found = pipelines.find(({ plan }) => plan.name === run.pipeline);
  if (found?.run === undefined) throw new Error(`${run.pipeline} does not run`);
  return run.predict(found.run.report, found.plan) / run.measured - 1;
}

describe('with the level of products for attention, 0.83 in place of 0.58, as the page says', () => {
  const faster = ({ kernels }: typeof h100Rates): string =>
    kernels
      .filter(([key]) => key.startsWith('attention_efficiency'))
      .map(([key, percent]) => `${key} = ${Math.round((percent * 0.83) / 0.58)}%`)
      .join('  ');
  test('Llama 3 405B with 131072 tokens comes out less than 1 % off', () => {
    const text = exampleText('published/llama3_405b.pipe')
      .replaceAll('= h100\n', '= faster\n')
      .replace('model llama_8k', `device faster { from = h100  ${faster(h100Rates)} }\nmodel llama_8k`);
    for (const run of llama3.runs.slice(2)) expect(Math.abs(off(run, text))).toBeLessThan(0.01);
  });

  test('long sequences of torchtitan without context ranks come out less than 1 % off', () => {
    const text = exampleText('published/torchtitan.pipe').replace(
      /(device h100_96 \{\n *from *= h100_fa2\n)/,
      (start) => `${start}  ${faster(h100Flash2Rates)}\n`,
    );
    const long = torchtitan.runs.filter(({ setting }) => setting.includes('context 1,'));
    expect(long).toHaveLength(2);
    for (const run of long) expect(Math.abs(off(run, text))).toBeLessThan(0.01);
  });
});

test('with FlashAttention-2 at a level of 0.97, runs of NeMo on H100s come out as far off as the page says', () => {
  const cores = h100Flash2Rates.kernels
    .filter(([key]) => key.startsWith('attention_efficiency'))
    .map(([key, percent]) => `${key} = ${Math.round((percent * 0.97) / 0.58)}%`);
  const text = exampleText('published/nemo_long_context.pipe')
    .replace('import { b200, h100,', 'import { b200, h100_fa2,')
    .replace('= h100\n', '= flash2\n')
    .replace('model llama2 ', `device flash2 { from = h100_fa2  ${cores.join('  ')} }\nmodel llama2 `);
  const runs = nemoLongContext.runs.filter(({ pipeline }) => pipeline === 'on_h100');
  const shares = runs.map((run) => off(run, text));
  expect(textOfPages()).toContain(`the ${runs.length} runs of NeMo on H100s come out ${range(shares)} off.`);
});

test('without the last product of a layer, recomputed runs of LLM Foundry come out as far off as the page says', () => {
  // A budget of next to nothing keeps what `full` does, and leaves out what no backward reads.
  const text = exampleText('published/llm_foundry.pipe').replaceAll(/(recompute *)= full$/gm, '$1= budget(0.01%)');
  const runs = llmFoundry.runs.filter(({ setting }) => setting.endsWith('all recomputed'));
  const shares = runs.map((run) => off(run, text));
  const mean = (all: readonly number[]): string => `${Math.round(100 * meanOf(all))} %`;
  const before = runs.map((run) => deviation(run));
  expect(textOfPages().replaceAll('\n', ' ')).toContain(
    `the ${runs.length} recomputed runs come out ${range(shares)} off, ${mean(shares)} on average in place of ${mean(before)}.`,
  );
});

describe('bubble rates that the authors of zero bubble calculated (arXiv:2401.10241, table 5)', () => {
  test.each(bubbleRates.same)('$name, $setting: $measured', (run) => {
    expect(predicted(run).toFixed(4)).toBe(run.measured.toFixed(4));
  });

  test('1F1B-I idles for p transfers more than they have', () => {
    for (const run of bubbleRates.interleaved) {
      const { gpus = 0, microbatches = 0, forward = 0, input = 0, weight = 0, transfer = 0 } = run.sliders ?? {};
      const work = microbatches * (forward + input + weight);
      const cost = (rate: number): number => work / (1 - rate);
      // Their rates have four digits.
      const rounding = cost(run.measured + 1e-4) - cost(run.measured);
      expect(Math.abs(cost(predicted(run)) - cost(run.measured) - gpus * transfer)).toBeLessThan(rounding);
    }
  });

  test('zb_auto idles more within a span than their ZB-2p: it keeps activations for longer', () => {
    for (const run of bubbleRates.searched) expect(predicted(run)).toBeGreaterThan(run.measured);
    const rates = bubbleRates.searched.map((run) => Math.round(100 * predicted(run)));
    expect([Math.min(...rates), Math.max(...rates)]).toEqual([2, 10]);
  });

  test.each(bubbleRates.kept)(
    'with their share of activations until W, $setting idles within 0.25 points of theirs',
    (run) => {
      expect(Math.abs(predicted(run) - run.measured)).toBeLessThan(0.0025);
      expect(predicted({ ...run, sliders: { ...run.sliders, kept: 1 } })).toBeGreaterThan(predicted(run) + 0.005);
    },
  );
});
