import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { analyseBlock, pages, repository, textOf } from './pages.ts';

const overview = textOf('docs/schedules/README.md');
const section = (heading: string): string => overview.split(/^## /m).find((name) => name.startsWith(heading)) ?? '';
const rows = section('Systems')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.pipe'))
  .map((line) => {
    const [system, kind, example, links] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    const named = [...links.matchAll(/\(((?:\.\.\/communication\/)?\w+)\.md\)/g)].map(([, page]) => page);
    return { system, kind, example: /systems\/(\w+)\.pipe\)/.exec(example)?.[1] ?? '', named };
  });

const systemOf = (example: string) => analyseBlock(textOf(`examples/systems/${example}.pipe`));

/** What an example shows that no plain pipeline does. */
function kindOf(example: string): string {
  const { pipelines, jobs } = systemOf(example);
  if (jobs.length > 0) return 'job';
  const runs = pipelines.flatMap((pipeline) => (pipeline.run === undefined ? [] : [pipeline.run]));
  if (runs.some((run) => run.program.forwardOnly === true)) return 'loading';
  if (runs.some((run) => run.report.fill !== undefined)) return 'filling';
  return runs.some((run) => run.report.asynchronous !== undefined) ? 'asynchronous' : 'synchronous';
}

test('the table of systems has every example once, in the order of their names', () => {
  const examples = readdirSync(join(repository, 'examples/systems')).map((name) => name.replace(/\.pipe$/, ''));
  expect(rows.map(({ example }) => example).toSorted()).toEqual(examples.toSorted());
  const names = rows.map(({ system }) => system.toLowerCase());
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
});

describe.each(rows)('$system', ({ kind, example, named }) => {
  test('is of the kind that the table says', () => {
    expect(kindOf(example)).toBe(kind);
  });

  test('has pages that link to its example', () => {
    expect(named).not.toEqual([]);
    for (const page of named)
      expect(textOf(`docs/schedules/${page}.md`)).toContain(`(../../examples/systems/${example}.pipe)`);
  });
});

const own = pages.filter((page) => /^docs\/schedules\/(?!README)/.test(page));

test.each(own)('%s has a drawing and an example, says when to use it, and names its source', (page) => {
  const text = textOf(page);
  expect(text).toMatch(/^```text drawing /m);
  expect(text).toContain('/examples/');
  expect(text).toMatch(/^Use /m);
  expect(text).toMatch(/^Sources?: /m);
});

test('every policy is in the table that helps to choose, or is there to compare with', () => {
  const choice = section('Which to choose');
  const missing = policies.filter(({ page }) => !choice.includes(`(${page}.md)`)).map(({ name }) => name);
  expect(missing).toEqual([]);
});

test('the schedules that the overview names are policies', () => {
  const links = [...overview.matchAll(/\[`(\w+)(?:\([^`]*\))?`\]\((\w+)\.md\)/g)];
  const schedules = links.filter(([, , page]) => page !== 'fill' && page !== 'hetpipe');
  expect(schedules.filter(([, name, page]) => findPolicy(name)?.page !== page).map(([text]) => text)).toEqual([]);
});
