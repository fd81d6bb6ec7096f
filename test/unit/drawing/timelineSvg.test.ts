import { inflateSync } from 'node:zlib';
import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { captionOf } from '../../../engine/drawing/caption.ts';
import { finest } from '../../../engine/drawing/detail.ts';
import { xmlText } from '../../../engine/drawing/xml.ts';
import { stageOf } from '../../../engine/values/program.ts';
import { endAt, startAt } from '../../../engine/values/timeline.ts';
import { analyse, analyseExample, runOf } from '../../support/analyse.ts';
import { good } from '../cli/harness.ts';
import { axisIn, blocksIn, readStrictly, svgOf } from './figure.ts';

const examples = [
  'quickstart.pipe',
  'systems/dualpipe.pipe',
  'systems/pipedream.pipe',
  'systems/seq1f1b.pipe',
  'custom-schedule.pipe',
  'gpt-22b.pipe',
];

const pipelinesOf = (name: string) =>
  analyseExample(name).pipelines.flatMap(({ plan, run }) => (run === undefined ? [] : [{ plan, run }]));

describe.each(examples)('%s', (name) => {
  it('has every operation once, where the timeline has it', () => {
    for (const { plan, run } of pipelinesOf(name)) {
      const svg = svgOf(plan, run);
      const { program, timeline } = run;
      const [left, right] = axisIn(svg);
      const blocks = blocksIn(svg);
      const tails = timeline.exchanged.reduce(
        (sum, end, device) =>
          sum + Number(end > timeline.last[device]) + Number((timeline.timing.optimizer[device] ?? 0) > 0),
        0,
      );
      expect(blocks).toHaveLength(program.order.length + tails);
      const scale = (right - left) / timeline.makespan;
      // Rows are higher where two operations share a slot.
      const pitch = program.fused === undefined ? 12.75 : 1.6 * 12.75;
      const rows = [...new Set(blocks.map(({ parts }) => parts[0].y))].sort((a, b) => a - b);
      for (let position = 0; position < program.order.length; position += 1) {
        const start = startAt(timeline, position);
        const x = left + start * scale;
        const width = (endAt(timeline, position) - start) * scale;
        const device = program.placement[stageOf(program, program.order[position])];
        const found = blocks.some(
          ({ parts }) =>
            Math.abs(parts[0].x - x) < 0.002 &&
            Math.abs(parts.reduce((sum, part) => sum + part.width, 0) - width) < 0.004 &&
            Math.abs(parts[0].y - (rows[0] + device * pitch)) < pitch / 2,
        );
        expect(found, `${plan.name}: operation ${position} on device ${device}`).toBe(true);
      }
    }
  });

  it('is strict XML, refers to nothing outside, and is the same each time', async () => {
    const [{ plan, run }] = pipelinesOf(name);
    const svg = svgOf(plan, run, { memory: true });
    await readStrictly(svg);
    expect(svg).not.toMatch(/(?:href|src)\s*=|@import|<script|<style|<foreignObject|url\((?!#)/);
    const [again] = pipelinesOf(name);
    expect(svgOf(again.plan, again.run, { memory: true })).toBe(svg);
  });
});

it('takes no text of a file as markup', async () => {
  const { plan, run } = runOf(good);
  const evil = '"]]><script>alert(1)</script>&x;\u0000\u001b\ud800\u202e<!--.pipe';
  const named = { ...plan, name: evil, devices: plan.devices.map((device) => ({ ...device, name: evil })) };
  const svg = svgOf(named, run, { file: evil, memory: true });
  expect(svg).not.toContain('<script');
  await readStrictly(svg);
});

it('escapes every text so that a strict parser reads it', async () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 60, seed: 7 });
  const all = [...texts, '\ufffe\uffff\ud83d', '--><!--'].map(
    (text) => `<text a="${xmlText(text)}">${xmlText(text)}</text>`,
  );
  await readStrictly(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${all.join('')}</svg>`);
});

it('tells size and text in the units of a paper', () => {
  const { plan, run } = runOf(good);
  for (const [width, points] of [
    ['3.4in', 3.4 * 72],
    ['7in', 7 * 72],
  ] as const) {
    const svg = svgOf(plan, run, { width });
    expect(svg).toContain(`width="${width}"`);
    expect(Number(/viewBox="0 0 ([\d.]+)/.exec(svg)?.[1])).toBeCloseTo(points, 6);
    expect(svg).toContain('font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="7"');
    // A row of 14 px: 10.5 points.
    for (const { parts } of blocksIn(svg)) expect(parts[0].height).toBe(10.5);
  }
});

it('says what the figures are and where they come from', () => {
  const { plan, run } = runOf(good);
  const desc = /<desc>(.*)<\/desc>/.exec(svgOf(plan, run))?.[1];
  expect(desc).toBe(
    '1f1b, 4 devices, 8 microbatches: iteration 264.1 ms, bubble 27.3 % (no order can go below 11.1 %, even with split backwards), peak memory 5 GiB of 16 GiB on gpu[0]. Pipeline train of a.pipe, Pipewright 1.2.3.',
  );
});

it('says which orders the bound of the bubble is for', () => {
  const { plan, run } = runOf(good);
  const words = (bubble: Partial<typeof run.report.bubble>) =>
    captionOf(
      plan,
      { ...run.report, bubble: { ...run.report.bubble, ...bubble } },
      { file: 'a.pipe', version: '1' },
    ).match(/bubble [^,(]*\((.*)\), peak/)?.[1];
  expect(words({ bound_backward: 'whole' })).toBe('no order with whole backwards can go below 11.1 %');
  expect(words({ bound_backward: undefined })).toBe('no order can go below 11.1 %');
  expect(words({ bound_backward: undefined, bound_within: 'memory' })).toBe(
    'within the memory of the devices no order can go below 11.1 %',
  );
  expect(words({ bound: 0 })).toBeUndefined();
});

it('lists in the legend only what occurs', () => {
  const legend = (text: string) =>
    [...(/<g class="legend"[^]*?<\/g>/.exec(svgOf(...both(text)))?.[0] ?? '').matchAll(/<text[^>]*>([^<]*)/g)].map(
      ([, name]) => name,
    );
  expect(legend(good)).toEqual(['forward', 'backward, input', 'backward, weight']);
});

const both = (text: string) => {
  const { plan, run } = runOf(text);
  return [plan, run] as const;
};

it('numbers all blocks of a row or none', () => {
  for (const microbatches of [4, 8, 12, 16, 24, 40, 64]) {
    const [plan, run] = both(good.replace('= 8 in', `= ${microbatches} in`));
    for (const width of ['3.4in', '7in'] as const) {
      const byRow = new Map<number, Set<boolean>>();
      for (const { parts, label } of blocksIn(svgOf(plan, run, { width })))
        byRow.set(parts[0].y, (byRow.get(parts[0].y) ?? new Set()).add(label !== undefined));
      for (const shown of byRow.values()) expect(shown.size).toBe(1);
    }
  }
});

it('draws numbers that fit, and none that do not', () => {
  const labels = (microbatches: number) =>
    blocksIn(svgOf(...both(good.replace('= 8 in', `= ${microbatches} in`)), { width: '3.4in' })).filter(
      ({ label }) => label !== undefined,
    ).length;
  expect(labels(8)).toBe(64);
  expect(labels(64)).toBe(0);
});

describe('more blocks than a viewer takes', () => {
  const many = good.replace('= 8 in 1..64', `= ${Math.ceil(finest.mostShapes / 8) + 100}`).replace('16GiB', '16TiB');
  it('are pixels in an axis of shapes, each the mix of what happens in it', async () => {
    const { plan, run } = runOf(many);
    const svg = svgOf(plan, run);
    const images = [...svg.matchAll(/<image [^>]*href="data:image\/png;base64,([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data, 'base64'),
    );
    expect(images).toHaveLength(4);
    expect(blocksIn(svg)).toHaveLength(0);
    expect(svg).toContain('<g class="axis"');
    await readStrictly(svg);
    // Rows and stages are equal, so in the steady state each pixel is a third of each colour, whatever the row.
    for (const image of images) {
      const line = pixels(image);
      const middle = line.slice(Math.floor(line.length / 2), Math.floor(line.length / 2) + 50);
      for (const pixel of middle) expect(distance(pixel, mixed)).toBeLessThan(6);
    }
  });
});

/** A third of each in linear light, by hand: F #2f5d9e, B #e3a24a, W #bfe6d8. */
const mixed = ['2fe3bf', '5da2e6', '9e4ad8'].map((channel) => {
  const bytes = [0, 2, 4].map((at) => Number.parseInt(channel.slice(at, at + 2), 16) / 255);
  const light =
    bytes.reduce((sum, value) => sum + (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4), 0) / 3;
  return 255 * (1.055 * light ** (1 / 2.4) - 0.055);
});

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, channel) => Math.abs(value - b[channel])));

/** Decodes with Node's own decompression: it checks lengths and sums. */
function pixels(image: Buffer): number[][] {
  expect(image.subarray(1, 4).toString()).toBe('PNG');
  const length = image.readUInt32BE(33);
  const line = inflateSync(image.subarray(41, 41 + length)).subarray(1);
  return Array.from({ length: line.length / 3 }, (_, at) => [...line.subarray(at * 3, at * 3 + 3)]);
}

it('does not cut off the last number of the time axis', () => {
  const [{ plan, run }] = analyse(`model m { layer block { forward = 20ms  backward = 30ms } }
device d { memory = 16GiB }
cluster c { gpu[1] = d  link = 25GB/s + 5us }
pipeline train { model = m  devices = c  microbatches = 4  stages = balance(1)  schedule = 1f1b }
`).pipelines;
  if (run === undefined) throw new Error('the pipeline does not run');
  const svg = svgOf(plan, run, { width: '3.4in' });
  const x = Number(/<text x="([\d.]+)" y="[\d.]+">200<\/text>/.exec(svg)?.[1]);
  // Digits of the figure's font are 0.556 em wide, and the figure is 244.8 pt wide.
  expect(x + (3 * 0.556 * 7) / 2).toBeLessThan(244.8);
  // It stays at its tick.
  expect(axisIn(svg)[1] - x).toBeLessThan(3);
});
