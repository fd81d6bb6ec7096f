import type { ScheduleDefinition } from '../../engine/definitions/schedule.ts';
import { declaredFrom } from '../../engine/grid/declared.ts';
import { scheduleTest } from '../../engine/grid/testSearch.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { packedLength } from '../../engine/basics/packed.ts';
import { askingWith } from '../../engine/planning/ownSchedule.ts';
import { ownPlacement, stagesOfDevices } from '../../engine/planning/place/ownPlacement.ts';
import { scheduleEvaluator } from '../../engine/read/scheduleEvaluator.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import { runSearch } from '../../engine/basics/searches.ts';
import { parse } from '../../grammar/index.ts';
import { measure } from '../measure.ts';
import { ms, rate, type Row, type Table } from '../rows.ts';
import { noFiles, uri } from '../workloads/analysis.ts';

/** A schedule with as many operations as asked for: microbatches grow, devices stay. */
interface Workload {
  readonly name: string;
  readonly text: string;
  readonly devices: number;
  readonly stages: number;
  /** Least operations per second, in millions. */
  readonly least: number;
}

const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const workloads: readonly Workload[] = [
  {
    name: 'ranges',
    text: 'row(d) = F[0..<microbatches], B[0..<microbatches]',
    devices: 16,
    stages: 16,
    least: 20,
  },
  {
    name: 'take, drop, zip',
    text: 'let warm(d) = devices - d  let ahead = F[0..<microbatches]  let back = B[0..<microbatches]  row(d) = take(warm(d), ahead), zip(back, drop(warm(d), ahead))',
    devices: 16,
    stages: 16,
    least: 20,
  },
  {
    name: 'each of two operations',
    text: 'row(d) = each(j in 0..<microbatches, F[j], B[j])',
    devices: 16,
    stages: 16,
    least: 20,
  },
  {
    name: 'interleaved, two chunks',
    text: `let groups = div(microbatches, devices)  let warm(d) = 3 * devices - 2 * d  placement = loop(2)
      let ahead = each(g in 0..<groups, each(c in 0..<2, F[g*devices..<(g+1)*devices, chunk = c]))
      let back = each(g in 0..<groups, each(c in 1..0 step -1, B[g*devices..<(g+1)*devices, chunk = c]))
      row(d) = take(warm(d), ahead), zip(drop(warm(d), ahead), back)`,
    devices: 16,
    stages: 32,
    least: 20,
  },
  {
    name: 'copies by `on`',
    text: 'on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  row(d) = F[0..<microbatches], B[0..<microbatches]',
    devices: 16,
    stages: 16,
    least: 20,
  },
  {
    name: 'slots',
    text: 'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s',
    devices: 16,
    stages: 16,
    least: 5,
  },
  {
    name: 'block with free W',
    text: 'period = 3  slot(F, s) = s  slot(I, s) = s + 1 + 6 * (devices - s)  slot(W) = free',
    devices: 16,
    stages: 16,
    least: 5,
  },
];

/** Operations per second, which must not fall with the number of operations. */
export function schedulesTable(): Table {
  const rows = workloads.map((workload): Row => {
    const definition = definitionOf(workload.text);
    const rates = sizes.map((size) => {
      const { operations, best } = expanded(definition, workload, size);
      return operations / (best / 1000);
    });
    const least = Math.min(...rates);
    const linear = rates[rates.length - 1] >= 0.4 * rates[1];
    return {
      cells: [workload.name, ...rates.map(rate)],
      goal: {
        text: `≥ ${workload.least} M/s, at 10⁷ at least 40 % of 10⁵`,
        met: linear && least >= workload.least * 1e6,
      },
    };
  });
  return {
    title: 'Schedules as text → operations of each device',
    head: ['schedule', '10⁴', '10⁵', '10⁶', '10⁷'],
    rows,
  };
}

function definitionOf(text: string): ScheduleDefinition {
  const { declared } = testOf(text, 'over(devices = 1, microbatches = 1)');
  const { value: bound } = scheduleEvaluator.bind(declared.schedule, {});
  if (bound === undefined) throw new Error('The schedule of the benchmark is wrong.');
  return bound;
}

function testOf(text: string, over: string) {
  const file = `schedule mine { ${text} }\nexpect mine { ${over}  valid }\n`;
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 100_000_000 } };
  const { tests, findings } = resolve({ uri, syntax: parse(file), host: noFiles, options });
  const declared = tests[0] === undefined ? undefined : declaredFrom(tests[0].test);
  if (declared === undefined) throw new Error(findings[0]?.message);
  return { declared, test: tests[0].test };
}

function expanded(definition: ScheduleDefinition, { devices, stages }: Workload, size: number) {
  const kinds = definition.split ? 3 : 2;
  const microbatches = Math.max(devices, devices * Math.floor(size / (kinds * stages * devices)));
  const numbers = { stages, devices, microbatches };
  const placed = ownPlacement(askingWith(scheduleEvaluator), definition, numbers);
  if (placed === undefined || 'problem' in placed || definition.kind !== 'rows') throw new Error('No rows.');
  const stagesOf = stagesOfDevices(placed.placement, placed.copies, devices);
  // Rows are kept only for numbers that are known: another one makes each turn expand them.
  const asked = { ...numbers, stagesOf, unknown: true };
  const expand = () => scheduleEvaluator.rows(definition, asked);
  const { value, findings } = expand();
  const operations = value?.reduce((sum, { kinds: row }) => sum + packedLength(row), 0);
  if (operations === undefined) throw new Error(findings[0]?.message);
  return { operations, best: measure(expand, { rounds: size > 1e6 ? 2 : 5 }).best };
}

/** A test of a schedule over its grid of shapes. */
export function gridTable(): Table {
  const { test } = testOf(
    'param chunks = 2 in 1..8  placement = loop(chunks)  row(d) = each(c in 0..<chunks, F[0..<microbatches, chunk = c]), each(c in chunks-1..0 step -1, B[0..<microbatches, chunk = c])',
    'over(devices = 1..8, microbatches = 1..16, chunks = 1..4)',
  );
  const { best } = measure(() => runSearch(scheduleTest, test));
  return {
    title: 'Test of a schedule over 512 shapes',
    head: ['shapes', 'time'],
    rows: [{ cells: ['512', ms(best)], goal: { text: '≤ 150 ms', met: best <= 150 } }],
  };
}
