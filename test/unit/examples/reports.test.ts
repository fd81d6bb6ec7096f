/**
 * Every example runs, has its report, figure by figure, and a plan that the preview takes: one file, since a check of all examples
 * takes long. The commit of a change that moves one says why; refresh the files with
 * `UPDATE_REPORTS=1 npx vitest run test/unit/examples/reports.test.ts` and read the difference before you commit it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { reportOf } from '../../../engine/flow/reportOf.ts';
import { isPlan } from '../../../webview/session/incomingPlan.ts';
import { analyseExample } from '../../support/analyse.ts';
import { exampleNames } from '../../support/example.ts';

const folder = join(import.meta.dirname, '../../data/reports');
const fileOf = (name: string): string => join(folder, name.replace(/\.pipe$/, '.json'));

/**
 * Chains are held by their length and their ends: the whole of a long one is as many lines as there are operations. Figures are held
 * to twelve digits: the order of a sum may change the last ones.
 */
const longestChain = 12;
function shortened(key: string, value: unknown): unknown {
  // How far published runs are off is held where they are compared (test/unit/flow/accuracy), and moves with any of them.
  if (key === 'accuracy') return undefined;
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (key !== 'critical_path' || !Array.isArray(value) || value.length <= longestChain) return value;
  return [...value.slice(0, longestChain / 2), '…', ...value.slice(-longestChain / 2)];
}

/**
 * Words and their places may get better, figures may not: of findings, the codes and severities are held. Their messages are not even
 * read: that of a bubble simulates other choices.
 */
function held(name: string): unknown {
  const analysis = analyseExample(name);
  const findings = analysis.findings.map(({ code, severity }) => ({ code, severity }));
  return JSON.parse(
    JSON.stringify({ ...reportOf({ ...analysis, findings: [] }, name), findings }, shortened),
  ) as unknown;
}

/** Whether data has all that other data has; objects may have more. */
function isWithin(kept: unknown, now: unknown): boolean {
  if (typeof kept !== 'object' || kept === null) return Object.is(kept, now);
  if (typeof now !== 'object' || now === null || Array.isArray(kept) !== Array.isArray(now)) return false;
  if (Array.isArray(kept) && kept.length !== (now as readonly unknown[]).length) return false;
  return Object.entries(kept).every(([key, value]) => isWithin(value, (now as Readonly<Record<string, unknown>>)[key]));
}

/** One line for each device, stage and link, so that a difference can be read. */
function inLines(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth >= 4) return JSON.stringify(value);
  const inner = Array.isArray(value)
    ? value.map((item) => inLines(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inLines(item, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return inner.length === 0 ? open + close : `${open}\n${inner.join(',\n')}\n${close}`;
}

test.each(exampleNames.filter((name) => name !== 'broken.pipe'))(
  '%s has no mistake, and every pipeline runs and meets its expectations',
  (name) => {
    const analysis = analyseExample(name);
    const serious = analysis.findings.filter(({ severity }) => severity === 'error' || severity === 'hint');
    expect(serious.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    const declared = analysis.syntax.declarations.filter(
      (declaration) => declaration.kind === 'block' && declaration.keyword.text === 'pipeline',
    );
    expect(analysis.pipelines).toHaveLength(declared.length);
    for (const { plan, run } of analysis.pipelines) {
      expect(run?.report.iteration).toBeGreaterThan(0);
      const causes = Object.values(run?.report.bubble.causes ?? {}).reduce((sum, cause) => sum + cause, 0);
      expect(causes).toBeCloseTo(run?.report.bubble.makespan ?? NaN, 9);
      expect(plan.expects.length).toBeGreaterThan(0);
    }
  },
);

test.each(exampleNames)('%s', (name) => {
  const file = fileOf(name);
  if (process.env['UPDATE_REPORTS'] !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${inLines(held(name))}\n`);
  }
  // Fields may be added to the report; none may go, and no figure may move.
  const [now, kept] = [held(name), JSON.parse(readFileSync(file, 'utf8')) as object];
  const same = isWithin(kept, now);
  // Takes much longer, and says what differs.
  if (!same) expect(now).toMatchObject(kept);
  expect(same).toBe(true);
});

test.each(exampleNames)('the preview takes the plan of %s', (name) => {
  // What crosses a channel is data.
  expect(isPlan(JSON.parse(JSON.stringify(analyseExample(name).resolution.plan)))).toBe(true);
});

test('no report is left of an example that is gone', () => {
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  expect(kept.map((name) => name.replace(/\.json$/, '.pipe')).sort()).toEqual([...exampleNames].sort());
  expect(exampleNames.every((name) => existsSync(fileOf(name)))).toBe(true);
});
