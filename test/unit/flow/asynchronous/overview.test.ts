import { expect, test } from 'vitest';
import { findPolicy, policies } from '../../../../engine/policies/registry.ts';
import { analyse } from '../../../support/analyse.ts';
import { textOf } from '../../docs/pages.ts';

const section = /^## Asynchronous$[^]*?(?=^## )/m.exec(textOf('docs/schedules/README.md'))?.[0] ?? '';
const rows = [
  ...section.matchAll(/^\| \[`(.+)`\]\((.+)\.md\) \| ([\d.]+) \(m = (\d+)\) \| ([\d, ]+) \| ([\d, ]+) \|$/gm),
].map(([, schedule, page, period, m, ...counts]) => ({
  schedule,
  page,
  m: Number(m),
  figures: [period, ...counts],
}));

test('every asynchronous policy is in the overview', () => {
  const named = rows.map(({ schedule }) => /^\w+/.exec(schedule)?.[0]);
  const asynchronous = policies.filter(({ weights }) => weights !== undefined).map(({ name }) => name);
  expect(asynchronous.filter((name) => !named.includes(name))).toEqual([]);
});

test.each(rows)('$schedule: the figures in the overview are those of the engine', ({ schedule, page, m, figures }) => {
  expect(findPolicy(/^\w+/.exec(schedule)?.[0] ?? '')?.page).toBe(page);
  const { pipelines } = analyse(`device gpu { memory = 1GiB }
cluster box { gpu[4] = gpu  link = 1000GB/s + 0us }
model toy { layer block[4] { forward = 1ms  backward = 2ms } }
pipeline train { model = toy  devices = box  stages = balance(4)  microbatches = ${m}  schedule = ${schedule} }
`);
  const report = pipelines[0]?.run?.report;
  expect(report?.asynchronous?.steady).toBe(true);
  const [period, versions, staleness] = figures;
  expect((report?.iteration ?? NaN) / 1e-3).toBeCloseTo(Number(period), 9);
  expect(report?.stages.map((stage) => stage.versions).join(', ')).toBe(versions);
  expect(report?.stages.map((stage) => stage.staleness).join(', ')).toBe(staleness);
});
