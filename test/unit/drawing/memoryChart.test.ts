import { expect, it } from 'vitest';
import { fontSize } from '../../../engine/drawing/sheet.ts';
import { runOf } from '../../support/analyse.ts';
import { svgOf } from './figure.ts';

it('keeps the peak where a line has more steps than a figure has places', () => {
  const { plan, run } = runOf(`
device d { memory = 64GiB }
cluster box { gpu[2] = d  link = 25GB/s }
model toy {
  layer slow { forward = 8ms  backward = 16ms  activation = 1GiB }
  layer fast { forward = 4ms  backward = 8ms  activation = 4GiB }
}
pipeline train { model = toy  devices = box  microbatches = 1500  stages = balance(2)  schedule = 1f1b }
`);
  const svg = svgOf(plan, run, { memory: true, width: '3.4in' });
  const line = /<path stroke="#000000" stroke-width="0.9" d="([^"]*)"/.exec(svg)?.[1] ?? '';
  const heights = [...line.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y));
  const label = Number(/<text x="[\d.]+" y="([\d.]+)"[^>]*fill="#000000">4 GiB</.exec(svg)?.[1]);
  // The second device holds a microbatch, waits with none, and so on. A place of the figure has several of these.
  const peak = label - fontSize * 0.36;
  expect(heights.length).toBeGreaterThan(100);
  expect(heights.filter((y) => Math.abs(y - peak) < 0.1).length).toBeGreaterThan(0.9 * heights.length);
});
