import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { analyseExample } from '../../support/analyse.ts';
import { picturesIn } from './drawings.ts';
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
    const named = [...links.matchAll(/\(((?:\.\.\/communication\/)?\w+)\.md(?:#[\w-]+)?\)/g)].map(([, page]) => page);
    return { system, kind, example: /systems\/(\w+)\.pipe\)/.exec(example)?.[1] ?? '', named };
  });

const communication = textOf('docs/communication/README.md');
/** The table of systems that schedule communication: name, example, pages. */
const exchanging = (communication.split(/^## /m).find((text) => text.startsWith('Systems')) ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.pipe'))
  .map((line) => ({
    system: line.split('|')[1].trim(),
    example: /systems\/(\w+)\.pipe\)/.exec(line)?.[1] ?? '',
    page: /\((\w+)\.md\)/.exec(line)?.[1] ?? '',
  }));

const systemOfExample = (example: string) => analyseExample(`systems/${example}.pipe`);
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

test('the tables of systems have every example once, in the order of their names', () => {
  const examples = readdirSync(join(repository, 'examples/systems')).map((name) => name.replace(/\.pipe$/, ''));
  const listed = [...rows, ...exchanging].map(({ example }) => example);
  expect(listed.toSorted()).toEqual(examples.toSorted());
  for (const table of [rows, exchanging]) {
    const names = table.map(({ system }) => system.toLowerCase());
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
  }
});

describe.each(exchanging)('$system', ({ example, page }) => {
  const text = textOf(`docs/communication/${page}.md`);

  test('has a page with its example and a drawing, which says when to use it and names its source', () => {
    expect(text).toMatch(/^```text drawing /m);
    expect(text).toMatch(/^Use /m);
    expect(text).toMatch(/^Sources?: /m);
  });

  test('has figures on its page that the engine has, to the digits shown', () => {
    const iterations = systemOfExample(example).pipelines.flatMap(({ run }) => run?.report.iteration ?? []);
    const shown = text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .flatMap((line) => [...line.matchAll(/\| ([\d.]+) ms(?= \|)/g)].map(([, figure]) => figure));
    expect(shown.length).toBeGreaterThan(0);
    for (const figure of shown) {
      const digits = figure.split('.')[1]?.length ?? 0;
      expect(iterations.map((seconds) => (seconds * 1e3).toFixed(digits))).toContain(figure);
    }
  });
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

const own = pages.filter((page) => /^docs\/schedules\/(?!README|gallery)/.test(page));

test.each(own)('%s has a drawing and an example, says when to use it, and names its source', (page) => {
  const text = textOf(page);
  expect(picturesIn(text)).not.toEqual([]);
  expect(text).toContain('/examples/');
  expect(text).toMatch(/^Use /m);
  expect(text).toMatch(/^Sources?: /m);
});

test('every policy is on the page that helps to choose, or is there to compare with', () => {
  const choice = textOf('docs/do/choose-a-schedule.md');
  const linkOf = ({ name, page }: { readonly name: string; readonly page: string }): string =>
    `(../schedules/${page}.md${name === page ? '' : `#${name}`})`;
  const missing = policies.filter((policy) => !choice.includes(linkOf(policy))).map(({ name }) => name);
  expect(missing).toEqual([]);
});

test('the schedules that the overview names are policies', () => {
  const links = [...overview.matchAll(/\[`(\w+)(?:\([^`]*\))?`\]\((\w+)\.md\)/g)];
  const schedules = links.filter(([, , page]) => page !== 'fill' && page !== 'hetpipe');
  expect(schedules.filter(([, name, page]) => findPolicy(name)?.page !== page).map(([text]) => text)).toEqual([]);
});
