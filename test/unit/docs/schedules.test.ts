import { microbatchesInFlight } from '../../../engine/analyze/inFlight.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dappleInTime } from '../../../engine/planning/cut/planners/dapple.ts';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { runOf } from '../../support/analyse.ts';
import { picture, picturesIn, runUnder } from './drawings.ts';
import { laneDrawing } from './laneDrawing.ts';
import { pages, repository, textOf } from './pages.ts';

const overview = 'docs/schedules/README.md';
const fences = /^```text drawing ([^\n]+)\n([^]*?)^```$/gm;
const drawn = pages.filter(
  (page) => page.startsWith('docs/communication/') && textOf(page).includes('```text drawing '),
);
const texts = pages.filter((page) => page.startsWith('docs/schedules/'));
const schedulePages = texts.filter((page) => !/\/(README|gallery)\.md$/.test(page));
const pictured = pages.flatMap((page) =>
  picturesIn(textOf(page)).map(({ of, file }) => ({ of, file: join(dirname(page), file) })),
);

const written = /^```pipe schedule ([^\n]+)\n([^]*?)^```$/gm;

/** The declaration in the text of a built-in schedule: its page says the rest in its own words. */
function declarationOf(policy: string): string {
  const text = scheduleTexts.get(policy) ?? '';
  return text.slice(text.indexOf(`schedule ${policy} {`));
}

// `UPDATE_DRAWINGS=1 vitest run test/unit/docs` draws them anew, and copies the texts of schedules.
if (process.env['UPDATE_DRAWINGS'] === '1') {
  for (const { of, file } of pictured) writeFileSync(join(repository, file), picture(of));
  for (const page of [...drawn, ...texts]) {
    const text = textOf(page).replace(fences, (_, of: string) => `\`\`\`text drawing ${of}\n${laneDrawing(of)}\`\`\``);
    const fill = (_: string, of: string): string => `\`\`\`pipe schedule ${of}\n${declarationOf(of)}\`\`\``;
    writeFileSync(join(repository, page), text.replace(written, fill));
  }
}

test.each(pictured.map(({ of, file }) => [file, of] as const))(
  '%s is the picture that the engine draws',
  (file, of) => {
    expect(readFileSync(join(repository, file), 'utf8')).toBe(picture(of));
  },
);

test.each(schedulePages)('%s has a picture', (page) => {
  expect(picturesIn(textOf(page)).length).toBeGreaterThan(0);
});

test('no two pictures are alike, and each is on a page', () => {
  const folders = ['docs/images/schedules', 'docs/images/timelines'];
  const kept = folders.flatMap((of) => readdirSync(join(repository, of)).map((file) => `${of}/${file}`));
  expect([...new Set(pictured.map(({ file }) => file))].toSorted()).toEqual(kept.toSorted());
  const folder = join(repository, 'docs/images/schedules');
  const files = readdirSync(folder);
  // Without the words around the blocks.
  const blocksOf = (file: string): string =>
    /<g class="held">[^]*?<g class="axis"/.exec(readFileSync(join(folder, file), 'utf8'))?.[0] ?? file;
  const alike = files
    .map((file) => files.filter((other) => blocksOf(other) === blocksOf(file)))
    .filter(({ length }) => length > 1);
  expect(alike).toEqual([]);
});

test.each(drawn)('the drawings of %s are those that the engine makes', (page) => {
  for (const [, of, text] of textOf(page).matchAll(fences)) expect(text, of).toBe(laneDrawing(of));
});

test.each(policies.map(({ name, page }) => [name, page] as const))('the page of %s has its picture', (name, page) => {
  const own = picturesIn(textOf(`docs/schedules/${page}.md`)).map(({ of }) => of);
  expect(own.some((of) => of.replace(/\(.*/, '') === name || of.endsWith('.pipe'))).toBe(true);
});

test.each([...scheduleTexts.keys()])('the page of %s shows its text', (name) => {
  const page = textOf(`docs/schedules/${findPolicy(name)?.page}.md`);
  const shown = [...page.matchAll(written)].map(([, of, text]) => [of, text]);
  expect(shown).toContainEqual([name, declarationOf(name)]);
});

test('the overview says of each policy without a text why', () => {
  const [, section = ''] = /^## As text\n([^]*?)^## /m.exec(textOf(overview)) ?? [];
  for (const { name, page } of policies)
    if (!scheduleTexts.has(name))
      expect(section).toMatch(new RegExp(`\\[\`${name}\`\\]\\(${page}\\.md(?:#${name})?\\)`));
});

const row = (policy: string): RegExpExecArray | null =>
  new RegExp(
    `^\\| \\[\`${policy}\`\\]\\(${findPolicy(policy)?.page}\\.md(?:#${policy})?\\) \\| (.+) \\| (.+), (.+) \\| (.+) \\|$`,
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

test.each([
  [4, 4, 2],
  [4, 8, 2],
  [4, 16, 3],
  [2, 2, 4],
])('interleaved_1f1b on %i devices with %i microbatches and %i chunks holds what its page says', (p, m, v) => {
  expect(textOf('docs/schedules/interleaved_1f1b.md')).toContain(
    String.raw`In flight: $\min(m \cdot v, 2 \cdot (p - 1 - i) + (v - 1) \cdot \text{group} + 1)$`,
  );
  const { run } = runOf(`device card { memory = 80GiB }
cluster box { gpu[${p}] = card  link = 1000000TB/s }
model toy { layer block[${p * v}] { forward = 1ms  backward = 2ms } }
pipeline train { model = toy  devices = box  microbatches = ${m}  stages = balance(${p * v})  schedule = interleaved_1f1b(chunks = ${v}) }
`);
  // Groups have as many microbatches as there are devices.
  expect(run.report.devices.map((device) => device.in_flight)).toEqual(
    run.report.devices.map((_, i) => Math.min(m * v, 2 * (p - 1 - i) + (v - 1) * p + 1)),
  );
});
