/** Formulas between `$$` with a worked number: the number is that of the formula, and of the engine. */
import { expect, test } from 'vitest';
import { bytes, time } from '../../../engine/basics/quantities.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import type { LayerSetting, ShapeCost } from '../../../engine/costs/types.ts';
import { runOf } from '../../support/analyse.ts';
import { valueOf } from './formula.ts';
import { pages, textOf } from './pages.ts';

type Values = Readonly<Record<string, number>>;

interface Worked {
  readonly page: string;
  /** The heading above it: on a page of schedules the name of a policy. */
  readonly heading: string;
  readonly formula: string;
  readonly values: Values;
  /** As printed: `9 ms`. */
  readonly number: string;
}

/** A formula of KaTeX as the other formulas of the pages are written. */
const plain = (formula: string): string =>
  formula
    .replaceAll(/\\frac\{([^{}]+)\}\{([^{}]+)\}/g, '(($1) / ($2))')
    .replaceAll(String.raw`\cdot`, '·')
    .replaceAll('-', '−')
    .replaceAll('^2', '²');

const worked: readonly Worked[] = pages
  .filter((page) => /^docs\/(?:schedules|costs)\//.test(page))
  .flatMap((page) =>
    textOf(page)
      .split(/^#+ /m)
      .flatMap((section) =>
        [...section.matchAll(/^\$\$(.+)\$\$\n\n.*?With (\$.+?) it is ([^.]*(?:\.\d+[^.]*)?)\.$/gm)].map(
          ([, formula, words, number]) => ({
            page,
            heading: section.split('\n')[0] ?? '',
            formula,
            values: Object.fromEntries(
              [...words.matchAll(/\$(\w) = ([\d.]+)\$/g)].map(([, letter, value]) => [letter, Number(value)]),
            ),
            number,
          }),
        ),
      ),
  );

/** Idle milliseconds of each device under a policy, with the times of the formula. */
function idleOf(policy: string, { p = 1, m = 1, v, F = 1, B, I = 1, W = 1 }: Values): number {
  const chunks = v ?? (policy === 'zb_v' ? 2 : 1);
  const backward =
    B === undefined
      ? `backward_input = ${I / chunks}ms  backward_weight = ${W / chunks}ms`
      : `backward = ${B / chunks}ms`;
  const { run } = runOf(`device card { memory = 80GiB }
cluster box { gpu[${p}] = card  link = 1000000TB/s }
model toy { layer block[${p * chunks}] { forward = ${F / chunks}ms  ${backward} } }
pipeline train { model = toy  devices = box  microbatches = ${m}  stages = balance(${p * chunks})  schedule = ${policy}${v === undefined ? '' : `(chunks = ${v})`} }
`);
  const [first, ...others] = run.report.devices.map(({ idle }) => idle * 1e3);
  for (const other of others) expect(other).toBeCloseTo(first ?? NaN, 6);
  return first ?? NaN;
}

const layer = ({ h = 1, s = 1, b = 1, t = 1 }: Values, more: Partial<LayerSetting> = {}): ShapeCost | undefined => {
  const setting: LayerSetting = {
    ...{ sequence: s, microBatch: b, precision: 'bf16', tensor: t, sequenceParallel: t > 1, context: 1 },
    ...{ expert: 1, expertTensor: t, recompute: 'none', ...more },
  };
  return findShape('transformer')?.cost({ hidden: h, heads: h / 128 }, setting);
};

/** What the engine has for the formulas of costs, by page. */
const costs: Readonly<Record<string, (values: Values) => number | undefined>> = {
  'parameters-and-flops': (values) => layer(values)?.parameters,
  activations: (values) => layer(values, { recompute: 'selective' })?.activation,
  parallelism: ({ N = 1, h = 1 }) =>
    layer({ h, s: N, t: 2 }, { sequenceParallel: false })?.collectives.find(({ over }) => over === 'tensor')?.bytes,
};

test('pages of schedules and costs have formulas with numbers', () => {
  expect(worked.map(({ page, heading }) => `${page} ${heading}`)).toHaveLength(10);
  const formulas = pages
    .filter((page) => /^docs\/(?:schedules|costs)\//.test(page))
    .flatMap((page) => [...textOf(page).matchAll(/^\$\$(.+)\$\$$/gm)].map(([, formula]) => `${page}: ${formula}`));
  expect(worked.map(({ page, formula }) => `${page}: ${formula}`)).toEqual(formulas);
});

test.each(worked)('$page, $heading: $formula is $number', ({ page, heading, formula, values, number }) => {
  const value = valueOf(plain(formula), values);
  const [, folder, name = ''] = /^docs\/(\w+)\/(.+)\.md$/.exec(page) ?? [];
  const found = folder === 'schedules' ? idleOf(heading, values) : costs[name]?.(values);
  expect(found).toBeCloseTo(value, 6);
  const printed = folder === 'schedules' ? time(value * 1e-3) : bytes(value);
  expect(number).toBe(name === 'parameters-and-flops' ? value.toLocaleString('en') : printed);
});
