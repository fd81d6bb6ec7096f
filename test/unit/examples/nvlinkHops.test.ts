import { expect, test } from 'vitest';
import { analyseExample } from '../../support/analyse.ts';

const { pipelines } = analyseExample('nvlink-hops.pipe');
const of = (name: string) => pipelines.find((pipeline) => pipeline.plan.name === name);

test('nvlink-hops.pipe: two hops of NVLink go before one of PCIe, and 1F1B takes its time over them', () => {
  const hops = of('hops');
  const route = (from: number, to: number) =>
    hops?.plan.routes.find((routePlan) => routePlan.from === from && routePlan.to === to);
  expect(route(3, 4)).toMatchObject({ bandwidth: 40e9, latency: 6.8e-6 });
  expect(route(3, 4)?.hops).toHaveLength(2);
  expect(route(0, 1)).toMatchObject({ bandwidth: 20e9 });
  expect(route(0, 1)?.hops).toBeUndefined();
});

test('nvlink-hops.pipe: all transfers over PCIe cannot be done sooner than the bus can carry them', () => {
  // 16 microbatches of 16 MB over 7 boundaries, both ways, at 12 GB/s.
  expect(of('host')?.run?.report.iteration).toBeGreaterThan((16 * 7 * 2 * 16e6) / 12e9);
  expect(of('hops')?.run?.report.iteration).toBeLessThan(of('host')?.run?.report.iteration ?? 0);
});

test('nvlink-hops.pipe: the best placement takes double NVLinks only', () => {
  const place = of('placed')?.run?.report.place;
  // Seven hops of 16 MB at 40 GB/s + 3.4 µs. By number: two of them at 20 GB/s, and one of two links.
  expect(place?.worst).toBeCloseTo(403.4e-6, 12);
  expect(place?.sum).toBeCloseTo(2823.8e-6, 12);
  expect(place?.by_number?.sum).toBeCloseTo(3627.2e-6, 12);
  expect(place?.by_number?.iteration).toBe(of('hops')?.run?.report.iteration);
});
