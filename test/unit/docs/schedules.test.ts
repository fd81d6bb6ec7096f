import { microbatchesInFlight } from '../../../engine/analyze/inFlight.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dappleInTime } from '../../../engine/planning/cut/planners/dapple.ts';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { drawing, runUnder } from './drawings.ts';
import { laneDrawing } from './laneDrawing.ts';
import { pages, repository, textOf } from './pages.ts';

const overview = 'docs/schedules/README.md';
const fences = /^```text drawing ([^\n]+)\n([^]*?)^```$/gm;
const drawn = pages.filter(
  (page) => /^docs\/(schedules|communication)\//.test(page) && textOf(page).includes('```text drawing '),
);

const written = /^```pipe schedule ([^\n]+)\n([^]*?)^```$/gm;

/** The declaration in the text of a built-in schedule: its page says the rest in its own words. */
function declarationOf(policy: string): string {
  const text = scheduleTexts.get(policy) ?? '';
  return text.slice(text.indexOf(`schedule ${policy} {`));
}

/** With names of pipelines behind the file: their lanes. */
const drawingOf = (of: string): string => (of.includes(' ') ? laneDrawing(of) : drawing(of));

// `UPDATE_DRAWINGS=1 vitest run test/unit/docs` draws them anew, and copies the texts of schedules.
if (process.env['UPDATE_DRAWINGS'] === '1') {
  for (const page of drawn) {
    const text = textOf(page).replace(fences, (_, of: string) => `\`\`\`text drawing ${of}\n${drawingOf(of)}\`\`\``);
    const fill = (_: string, of: string): string => `\`\`\`pipe schedule ${of}\n${declarationOf(of)}\`\`\``;
    writeFileSync(join(repository, page), text.replace(written, fill));
  }
}

test.each(drawn)('the drawings of %s are those that the engine makes', (page) => {
  for (const [, of, text] of textOf(page).matchAll(fences)) expect(text, of).toBe(drawingOf(of));
});

test.each(policies.map(({ name, page }) => [name, page] as const))('the page of %s has its drawing', (name, page) => {
  const own = [...textOf(`docs/schedules/${page}.md`).matchAll(fences)].map(([, of]) => of);
  expect(own.some((of) => of === name || of.endsWith('.pipe'))).toBe(true);
});

test.each([...scheduleTexts.keys()])('the page of %s shows its text', (name) => {
  const page = textOf(`docs/schedules/${findPolicy(name)?.page}.md`);
  const shown = [...page.matchAll(written)].map(([, of, text]) => [of, text]);
  expect(shown).toContainEqual([name, declarationOf(name)]);
});

test('the overview says of each policy without a text why', () => {
  const [, section = ''] = /^## As text\n([^]*?)^## /m.exec(textOf(overview)) ?? [];
  for (const { name, page } of policies)
    if (!scheduleTexts.has(name)) expect(section).toContain(`[\`${name}\`](${page}.md)`);
});

const row = (policy: string): RegExpExecArray | null =>
  new RegExp(
    `^\\| \\[\`${policy}\`\\]\\(${findPolicy(policy)?.page}\\.md\\) \\| (.+) \\| (.+) \\| (.+) \\| (.+) \\|$`,
    'm',
  ).exec(textOf(overview));
const synchronous = policies.filter(({ weights, forwardOnly }) => weights === undefined && forwardOnly !== true);

describe.each(synchronous.map(({ name }) => name))('%s', (policy) => {
  test('the figures in the overview are those of the engine', () => {
    const [end, idle, span] = (row(policy) ?? []).slice(1, 4).map(Number);
    const { report } = runUnder(policy);
    const ms = 1e-3;
    expect(report.iteration / ms).toBeCloseTo(end, 9);
    for (const device of report.devices) expect(device.idle / ms).toBeCloseTo(idle, 9);
    const longest = report.devices.reduce((most, device) => (device.span > most.span ? device : most));
    expect((longest.span - longest.busy) / ms).toBeCloseTo(span, 9);
    expect(report.devices.map(microbatchesInFlight).join(', ')).toBe(row(policy)?.[4]);
  });
});

test('the sizes on the page of dapple are within and above the limit of its planner', () => {
  const text = textOf('docs/schedules/dapple.md');
  const [, within, above] = /= 1\.5 · 10⁸.*?\. (.+?) are within the limit\. (.+?) are above it\./.exec(text) ?? [];
  const sizes = (words: string) =>
    [...words.matchAll(/(\d+) layers on (\d+) devices/g)].map(([, count, machines]) => ({
      layers: { count: Number(count) },
      machines: Number(machines),
    }));
  expect(sizes(within).map(dappleInTime)).toEqual([true, true]);
  expect(sizes(above).map(dappleInTime)).toEqual([false]);
});
