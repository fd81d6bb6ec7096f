/** The schedule of a pipeline's plan: rules and rows of a user's schedule filled in with the pipeline's numbers. */
import type { Reporter } from '../findings/reporter.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Span } from '../../grammar/syntax.ts';
import { finding } from '../findings/finding.ts';
import type { RowsDefinition, RuleDefinition } from '../definitions/schedule.ts';
import type { PlacedNumbers, WrittenRow } from '../definitions/scheduleEvaluator.ts';
import { rowNumbers } from '../basics/packed.ts';
import { type EdgePlan, type GreedyRule, paths, type RowPlan, type SchedulePlan } from '../values/plan.ts';
import { E } from '../values/program.ts';
import { hintPeak } from './hintPeak.ts';
import type { Notes } from './notes.ts';
import { rowOrigins } from './origins.ts';
import { rowsPlan, rulePlan } from './ownOrder.ts';
import { askingAt, reportUnmet } from './ownSchedule.ts';
import { stagesOfDevices } from './place/ownPlacement.ts';
import type { Ranks } from './place/ranks.ts';

/** The plan; `undefined` where an expression of the schedule is wrong for these numbers, which has been reported. */
export function schedulePlan(
  notes: Notes,
  pipeline: SettledPipeline,
  ranks: Ranks,
  edges: readonly EdgePlan[],
): SchedulePlan | undefined {
  const { use, name, cut, microbatches, iterations, at } = pipeline;
  if (use.kind === 'policy') return { kind: 'policy', name: use.policy.name, args: use.args };
  const { definition } = use;
  const devices = ranks.ranks.length;
  const numbers = { stages: cut.count, devices, microbatches, iterations };
  if (reportUnmet(notes, name, at('schedule'), definition, numbers)) return undefined;
  const stagesOf = stagesOfDevices(ranks.placement, ranks.copies, devices);
  const plan =
    definition.kind === 'rows'
      ? orderByRows(notes, pipeline, ranks, definition, {
          ...numbers,
          stagesOf,
          before: before(cut.count, ranks, edges),
        })
      : orderByRule(notes, pipeline, ranks, definition, { ...numbers, stagesOf });
  const { args } = definition;
  return plan === undefined || Object.keys(args).length === 0 ? plan : { ...plan, args };
}

/** Stages of the cut that each one needs. */
function before(count: number, { copies }: Ranks, edges: readonly EdgePlan[]): readonly (readonly number[])[] {
  const needed: number[][] = Array.from({ length: count }, () => []);
  const number = (index: number): number => copies?.[index].stage ?? index;
  for (const { from, to } of edges) if (number(from) !== number(to)) needed[number(to)].push(number(from));
  return needed;
}

function orderByRule(
  notes: Notes,
  { name: pipeline, transfer, at }: SettledPipeline,
  ranks: Ranks,
  definition: RuleDefinition,
  numbers: PlacedNumbers,
): SchedulePlan | undefined {
  const { origins, report } = notes;
  const { schedules, heard } = askingAt(notes, at('schedule'));
  const order = heard(schedules.ruleOrder(definition, numbers));
  if (order === undefined || (order.rule !== undefined && ruleLacksHost(report, order.rule, ranks, at('schedule'))))
    return undefined;
  if (order.operations !== undefined && refusesTransfer(report, definition.name, transfer.rule, at('transfer')))
    return undefined;
  for (const [index, place] of definition.written.entries()) origins.set(paths.guard(pipeline, index), place);
  return rulePlan(definition, order, ranks);
}

/** Whether sends block, which they cannot where a schedule declares operations. */
function refusesTransfer(report: Reporter, schedule: string, rule: unknown, at: Span): boolean {
  if (rule === undefined) return false;
  report.report('type/mismatch', at, {
    expected: `transfers that run in parallel with the work, because schedule "${schedule}" declares operations`,
    found: '`rendezvous`',
  });
  return true;
}

/** Whether a rule sends activations to the host of a device that has no link to it. */
function ruleLacksHost(report: Reporter, { keeper }: GreedyRule, { ranks }: Ranks, at: Span): boolean {
  const lacks = ranks.find(({ kind }, device) => keeper?.[device] === 'host' && kind.host === undefined);
  const hint = { kind: 'host', device: lacks?.kind.name ?? '' } as const;
  if (lacks !== undefined) report.report('type/mismatch', at, noHost(lacks.kind.name), { hint });
  return lacks !== undefined;
}

const noHost = (device: string) => ({
  expected: `a link to the host in device "${device}", such as \`host = 25GB/s + 5us\``,
  found: 'none',
});

/** Whether rows send activations to the host of a device that has no link to it; says so at the first E. */
function rowsLackHost(
  report: Reporter,
  rows: readonly RowPlan[],
  { ranks }: Ranks,
  written: readonly (WrittenRow | undefined)[],
  atSchedule: Span,
): boolean {
  const device = rows.findIndex(({ keeper }, index) => keeper === 'host' && ranks[index].kind.host === undefined);
  if (device < 0) return false;
  const { kinds, items } = rowNumbers(rows[device]);
  const at = written[device]?.items[items[kinds.indexOf(E)]];
  const { name } = ranks[device].kind;
  if (at === undefined) return true;
  const parameters = noHost(name);
  const hint = { kind: 'host', device: name } as const;
  // The row may be in another file.
  if (at.uri === report.uri) report.add(finding('type/mismatch', at, parameters, { hint }));
  else report.report('type/mismatch', atSchedule, parameters, { related: [{ place: at, message: 'This row.' }], hint });
  return true;
}

function orderByRows(
  notes: Notes,
  { name: pipeline, transfer, at }: SettledPipeline,
  ranks: Ranks,
  definition: RowsDefinition,
  numbers: PlacedNumbers,
): SchedulePlan | undefined {
  const { name, uri, periodEnds } = definition;
  const { schedules, heard } = askingAt(notes, at('schedule'));
  const rows = heard(schedules.rows(definition, numbers));
  const written = schedules.writtenRows(definition, numbers);
  if (rows === undefined || rowsLackHost(notes.report, rows, ranks, written, at('schedule'))) return undefined;
  const used = heard(schedules.operations(definition, numbers, rows));
  if (used === undefined) return undefined;
  if (used !== 'none' && refusesTransfer(notes.report, name, transfer.rule, at('transfer'))) return undefined;
  notes.tracers.set(pipeline, schedules.trace(definition, numbers));
  const stays = rows.every(({ keeper }) => keeper === undefined);
  if (periodEnds !== undefined && stays && uri === notes.uri) hintPeak(notes, periodEnds, rows, pipeline);
  rowOrigins(notes.origins, pipeline, written);
  return rowsPlan(definition, rows, used, ranks);
}
