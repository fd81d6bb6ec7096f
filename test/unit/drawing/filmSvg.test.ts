import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { filmSvg, mostFilmBytes } from '../../../engine/drawing/filmSvg.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { Run } from '../../../engine/schedule/evaluation.ts';
import { analyseExample, runOf } from '../../support/analyse.ts';
import { good } from '../cli/harness.ts';
import { axisIn, blocksIn, made, readStrictly, svgOf } from './figure.ts';

const film = (plan: PipelinePlan, run: Run, seconds = 8) =>
  filmSvg(plan, run, { ...made, width: '7in', playing: { seconds } });
const quickstart = () => film(...both(good));
const both = (text: string) => {
  const { plan, run } = runOf(text);
  return [plan, run] as const;
};
const pipelinesOf = (name: string) =>
  analyseExample(name).pipelines.flatMap(({ plan, run }) => (run === undefined ? [] : [{ plan, run }]));

describe.each([
  'data-parallel.pipe',
  'custom-schedule.pipe',
  'systems/dualpipe.pipe',
  'gpt-175b.pipe',
  'deepseek-v3.pipe',
])('%s', (name) => {
  it('is strict XML without script or reference, small enough for a page, and the same each time', async () => {
    for (const [index, { plan, run }] of pipelinesOf(name).entries()) {
      const svg = film(plan, run);
      await readStrictly(svg);
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(mostFilmBytes);
      expect(svg).not.toMatch(
        /@import|<script|<foreignObject|\son\w+=|url\((?!#)|(?:href|src)\s*=\s*"(?!data:image\/png)/,
      );
      if (index === 0) expect(film(plan, run)).toBe(svg);
    }
  });
});

it('has at most 300 kB', () => expect(mostFilmBytes).toBe(300_000));

it('has the blocks and the memory of the figure', () => {
  const [plan, run] = both(good);
  const figure = svgOf(plan, run, { memory: true });
  expect(blocksIn(quickstart())).toEqual(blocksIn(figure));
  const lines = (svg: string) =>
    [...svg.matchAll(/<path stroke="#\w+"(?: stroke-width="0.9")? d="[^"]*"\/>/g)].map(String);
  expect(lines(quickstart())).toEqual(lines(figure));
});

it('shows blocks and fills memory inside the window that opens, and names and axis outside', () => {
  const svg = quickstart();
  const windows = [
    ...svg.matchAll(/<g class="opens" clip-path="url\(#played\)"><g class="stays">\n([^]*?)\n<\/g><\/g>\n/g),
  ];
  expect(windows).toHaveLength(2);
  const [[, rows], [, memory]] = windows;
  expect(blocksIn(rows)).toHaveLength(blocksIn(svg).length);
  expect(memory).toMatch(/<path fill="#2f5d9e" fill-opacity="0.2" stroke="none" d="[^"]*Z"\/>/);
  for (const outside of ['class="axis"', 'class="devices"', 'class="legend"', 'stroke-dasharray'])
    expect(windows.map(([, inside]) => inside).join('')).not.toContain(outside);
});

/** Positions and times of an animation: `[name, from, end of the way in percent]`. */
function animation(svg: string, name: string): { readonly from: number; readonly end: number; readonly lasts: number } {
  const [, from, end] =
    new RegExp(
      `@keyframes ${name}\\{from\\{transform:translateX\\((.*?)px\\)\\}([\\d.]+)%,to\\{transform:none\\}\\}`,
    ).exec(svg) ?? [];
  const [, lasts] = new RegExp(`\\.${name}\\{animation:${name} ([\\d.]+)s linear infinite\\}`).exec(svg) ?? [];
  return { from: Number(from), end: Number(end), lasts: Number(lasts) };
}

it.each([1, 8, 16])('plays %d seconds over the axis of time, stands for two, and plays again', (seconds) => {
  const [plan, run] = both(good);
  const svg = film(plan, run, seconds);
  const [left, right] = axisIn(svg);
  const opens = animation(svg, 'opens');
  expect(opens.from).toBeCloseTo(left - right, 2);
  expect((opens.lasts * opens.end) / 100).toBeCloseTo(seconds, 3);
  expect(opens.lasts).toBe(seconds + 2);
  // What is inside the window stands still.
  expect(animation(svg, 'stays')).toEqual({ ...opens, from: -opens.from });
});

it('moves nothing for a viewer who wants no motion', () => {
  const style = /<style>([^]*?)<\/style>/.exec(quickstart())?.[1] ?? '';
  const moving = /@media \(prefers-reduced-motion:no-preference\)\{((?:[^{}]*\{[^{}]*\})*)\}/.exec(style);
  expect(moving?.[1]).toContain('animation:opens');
  expect(style.replace(moving?.[0] ?? '', '')).not.toContain('animation');
  // The head is only for what moves.
  expect(quickstart()).toMatch(/<path class="opens head" opacity="0"/);
  expect(moving?.[1]).toContain('.head{opacity:1}');
});

describe('more blocks than a film has room for', () => {
  const many = (microbatches: number) =>
    both(good.replace('= 8 in 1..64', `= ${microbatches}`).replace('16GiB', '16TiB'));
  const imagesIn = (svg: string) =>
    [...svg.matchAll(/<image [^>]*href="data:image\/png;base64,([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data, 'base64'),
    );

  it('are pixels whose idle time is as dark or light as the paper', async () => {
    const [plan, run] = many(3000);
    const svg = film(plan, run);
    expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(mostFilmBytes);
    await readStrictly(svg);
    const images = imagesIn(svg);
    expect(images).toHaveLength(4);
    for (const [device, image] of images.entries()) {
      const line = inflateSync(image.subarray(41, 41 + image.readUInt32BE(33))).subarray(1);
      const pixel = (at: number) => [...line.subarray(4 * at, 4 * at + 4)];
      // In the middle no device waits.
      expect(pixel(Math.floor(line.length / 8))[3]).toBe(255);
      if (device > 0) continue;
      // A pixel is 50 ms. The first device runs four forwards of 8 ms, and waits for the first backward.
      const [red, green, blue, opacity] = pixel(0);
      expect([red, green, blue]).toEqual([0x2f, 0x5d, 0x9e]);
      expect(opacity / 255).toBeCloseTo(32 / (run.timeline.makespan * 1000 * (4 / line.length)), 1);
    }
  });

  it('share rows if there are many devices', () => {
    const wide = good
      .replace('= 8 in 1..64', '= 40')
      .replace('16GiB', '16TiB')
      .replace('gpu[4]', 'gpu[300]')
      .replace('balance(4)', 'balance(300)')
      .replace('block[8]', 'block[300]');
    const svg = film(...both(wide));
    expect(imagesIn(svg)).toHaveLength(80);
    expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(mostFilmBytes);
  });
});
