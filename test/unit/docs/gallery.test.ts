/** The gallery of schedules: the drawings are those that its commands make, and the texts are tested. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { timelineSvg } from '../../../engine/drawing/timelineSvg.ts';
import { analyse, analyseExample } from '../../support/analyse.ts';
import { repository, textOf } from './pages.ts';

interface Drawn {
  readonly title: string;
  readonly image: string;
  /** Below `examples/`. */
  readonly example: string;
  readonly schedule: string;
  readonly devices: number;
  readonly microbatches: number;
}

const page = textOf('docs/schedules/gallery.md');
const command =
  /^pipewright simulate examples\/(\S+) --schedule (?:"([^"]+)"|(\S+)) --devices (\d+) --microbatches (\d+)$/m;

const drawn = page
  .split(/^## /m)
  .slice(1)
  .flatMap((section): readonly Drawn[] => {
    const [title = ''] = section.split('\n');
    const image = /!\[[^\]]+\]\(\.\.\/images\/gallery\/([\w.-]+)\)/.exec(section)?.[1];
    const [, example = '', quoted, plain, devices, microbatches] = command.exec(section) ?? [];
    const schedule = quoted ?? plain ?? '';
    return image === undefined
      ? []
      : [{ title, image, example, schedule, devices: Number(devices), microbatches: Number(microbatches) }];
  });

const folder = join(repository, 'docs/images/gallery');
const { version } = JSON.parse(textOf('package.json'));

/** What `simulate … --format svg` writes. */
function svgOf({ example, schedule, devices, microbatches }: Drawn): string {
  const text = textOf(`examples/${example}`);
  const { pipelines, findings } = analyse(text, { unit: { schedule, devices, microbatches } });
  const [found] = pipelines;
  if (found?.run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return [
    ...timelineSvg(found.plan, found.run, { file: basename(example), version, width: '7in', memory: false }),
  ].join('');
}

// `UPDATE_DRAWINGS=1 vitest run test/unit/docs` draws them anew.
if (process.env['UPDATE_DRAWINGS'] === '1') {
  mkdirSync(folder, { recursive: true });
  for (const each of drawn) writeFileSync(join(folder, each.image), svgOf(each));
}

test('numbers of microbatches are drawn where two operations share a slot, and not where one takes no time', () => {
  const numbers = (image: string): readonly string[] =>
    [...readFileSync(join(folder, image), 'utf8').matchAll(/stroke="none">(\d+)<\/text>/g)].map(([, number]) => number);
  const most = (schedule: string): number => drawn.find(({ image }) => image === schedule)?.devices ?? 0;
  // Every forward and every backward of 8 microbatches on 4 devices, and the weight gradients that are apart.
  expect(numbers('dualpipe.svg').length).toBeGreaterThanOrEqual(2 * 8 * most('dualpipe.svg'));
  // 1F1B on 6 devices: neither E nor L has a number.
  expect(numbers('bpipe.svg')).toHaveLength(2 * 8 * most('bpipe.svg'));
});

test('there are sixteen, each with a drawing', () => {
  expect(drawn).toHaveLength(16);
  expect(new Set(drawn.map(({ image }) => image)).size).toBe(16);
  expect(readdirSync(folder).toSorted()).toEqual(drawn.map(({ image }) => image).toSorted());
});

describe.each(drawn.map((each) => [each.title, each] as const))('%s', (_, each) => {
  test('the drawing is the one that the engine makes', () => {
    const file = join(folder, each.image);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(svgOf(each));
  });

  test('its text is tested, on shapes that pass and that cover the drawing', () => {
    const [name] = each.schedule.split('(');
    const { tests, findings } = analyseExample(each.example);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const own = tests.filter(({ test: { name: of } }) => of === name);
    expect(own.length).toBeGreaterThan(0);
    const verdicts = own.flatMap(({ answer }) => answer.verdicts);
    expect(
      verdicts.some(
        ({ devices, microbatches, verdict }) =>
          verdict === 'passed' && devices === each.devices && microbatches === each.microbatches,
      ),
    ).toBe(true);
  });

  test('its source is named', () => {
    const [section = ''] = page.split(`## ${each.title}\n`)[1]?.split(/^## /m) ?? [];
    expect(section).toMatch(/arxiv\.org\/abs\/\d{4}\.\d{5}|ICML 2023|the same paper/);
  });
});
