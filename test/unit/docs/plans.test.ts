/** Figures on the pages that plan a run are figures of their example. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createColors } from 'picocolors';
import { reportText } from '../../../cli/output/reportText.ts';
import { analyseExample } from '../../support/analyse.ts';
import { docs, textOf } from './pages.ts';

const plans = readdirSync(join(docs, 'do')).filter((name) => name.startsWith('plan-'));

/** What a page says that no simulation gives: publications, closed forms, and what follows from two figures. */
const others: Readonly<Record<string, readonly string[]>> = {
  'plan-long-context.md': ['100 %', '0 %'],
  'plan-mixture-of-experts.md': ['2.664 M', '17 %'],
};

/** Sliders that a page moves. */
const sliders: Readonly<Record<string, Readonly<Record<string, number>>>> = { 'plan-long-context.md': { hidden: 0 } };

const unit = String.raw`(?:[KMG]iB|ms|s|%|M|K|days|GPU-hours|tokens/s per GPU)(?![\w/])`;
const figures = (text: string): readonly (readonly [number, string, string])[] =>
  [...text.matchAll(new RegExp(String.raw`(?<![\w.-])(\d[\d,]*(?:\.\d+)?) (${unit})`, 'g'))].map(
    ([whole, digits, name]) => [Number(digits.replaceAll(',', '')), name, whole],
  );

/** Text without code. */
const said = (page: string): string => page.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

describe.each(plans)('%s', (plan) => {
  const page = textOf(`docs/do/${plan}`);
  const example = /examples\/([\w-]+\.pipe)\)/.exec(page)?.[1] ?? '';

  test('has only figures of its example, rounded', () => {
    const slider = sliders[plan];
    const analyses = [analyseExample(example), ...(slider === undefined ? [] : [analyseExample(example, slider)])];
    const simulated = figures(
      analyses
        .flatMap(({ pipelines }) =>
          pipelines.flatMap(({ plan: planned, run }) =>
            run === undefined ? [] : reportText(planned, run, 100, createColors(false)),
          ),
        )
        .join(''),
    );
    const stray = figures(said(page)).filter(([value, name, whole]) => {
      const decimals = /\.(\d+)/.exec(whole)?.[1].length ?? 0;
      return !simulated.some(
        ([candidate, candidateUnit]) => candidateUnit === name && Number(candidate.toFixed(decimals)) === value,
      );
    });
    const published = others[plan] ?? [];
    expect(stray.map(([, , whole]) => whole).filter((whole) => !published.includes(whole))).toEqual([]);
  });

  test('is linked from the list of guides and from the list of examples', () => {
    expect(textOf('docs/do/README.md')).toContain(`(${plan})`);
    expect(textOf('examples/README.md')).toContain(`../docs/do/${plan}`);
  });
});
