/** The schedule of a pipeline's plan: rules and rows of a user's schedule filled in with the pipeline's numbers. */
import type { Reporter } from '../findings/reporter.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Span } from '../../grammar/syntax.ts';
import { finding } from '../findings/finding.ts';
import { createReporter } from '../findings/reporter.ts';
import type { RowsBody, ScheduleDefinition } from '../definitions/schedule.ts';
import { rowNumbers } from '../basics/packed.ts';
import { type EdgePlan, type GreedyRule, paths, type Place, type RowPlan, type SchedulePlan } from '../values/plan.ts';
import { E } from '../values/program.ts';
import { hintPeak } from './hintPeak.ts';
import type { Notes } from './notes.ts';
import { rowOrigins } from './origins.ts';
import { reportForeign, reportUnmet } from './ownSchedule.ts';
import { stagesOfDevices } from './place/ownPlacement.ts';
import { operationsPlan } from './place/operationCopies.ts';
import { inProgram, ruleOperations } from './ruleOperations.ts';
import { ofCopies } from './place/rowCopies.ts';
import type { Ranks } from './place/ranks.ts';

/** The plan; `undefined` where an expression of the schedule is wrong for these numbers, which has been reported. */
export function schedulePlan(
  notes: Notes,
  pipeline: SettledPipeline,
  ranks: Ranks,
  edges: readonly EdgePlan[],
): SchedulePlan | undefined {
  const { use } = pipeline;
  if (use.kind === 'policy') return { kind: 'policy', name: use.policy.name, args: use.args };
  const { definition } = use;
  const foreign = definition.uri === notes.uri ? undefined : createReporter(definition.uri, 10);
  const report = foreign ?? notes.report;
  const { name, cut, microbatches, iterations, at } = pipeline;
  const numbers = { stages: cut.count, devices: ranks.ranks.length, microbatches, iterations };
  const unmet = reportUnmet(notes, report, name, at('schedule'), definition, numbers);
  const plan = unmet
    ? undefined
    : definition.body.kind === 'rows'
      ? rowsPlan(notes, report, pipeline, ranks, edges, definition)
      : greedyPlan(notes, report, pipeline, ranks, definition);
  if (foreign !== undefined) reportForeign(notes, at('schedule'), foreign);
  return plan;
}

/** Arguments, if there are any. */
const given = ({ args }: ScheduleDefinition): Pick<SchedulePlan & { kind: 'rows' }, 'args'> =>
  Object.keys(args).length === 0 ? {} : { args };

function greedyPlan(
  { origins, report: ownReport }: Notes,
  report: Reporter,
  { name: pipeline, cut, microbatches, iterations, transfer, at }: SettledPipeline,
  ranks: Ranks,
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name, placement, split, weights } = definition;
  if (body.kind !== 'greedy') return undefined;
  const numbers = { stages: cut.count, devices: ranks.ranks.length, microbatches, iterations };
  const inFlight = body.inFlight(numbers, report);
  const rule = body.rule(numbers, report);
  if (inFlight === undefined || rule === undefined) return undefined;
  if (rule !== null && ruleLacksHost(ownReport, rule, ranks, at('schedule'))) return undefined;
  const { placement: of, copies } = ranks;
  const chosen = ruleOperations(body, { ...numbers, stagesOf: stagesOfDevices(of, copies, numbers.devices) }, report);
  if (chosen === undefined || (chosen !== 'none' && refusesTransfer(ownReport, name, transfer.rule, at('transfer'))))
    return undefined;
  for (const [written, place] of body.written.entries()) origins.set(paths.guard(pipeline, written), place);
  return {
    kind: 'greedy',
    name,
    ...given(definition),
    placement: placement?.rule ?? 'linear',
    split,
    prefer: body.prefer,
    inFlight,
    weights,
    ...(rule === null ? {} : { rule }),
    ...(chosen === 'none' ? {} : inProgram(chosen, of, copies)),
  };
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
function lacksHost(
  report: Reporter,
  rows: readonly RowPlan[],
  { ranks }: Ranks,
  rowOf: ReturnType<RowsBody['rows']>,
  atSchedule: Place,
): boolean {
  const device = rows.findIndex(({ keeper }, index) => keeper === 'host' && ranks[index].kind.host === undefined);
  if (device < 0) return false;
  const { kinds, items } = rowNumbers(rows[device]);
  const at = rowOf(device)?.items[items[kinds.indexOf(E)]];
  const { name } = ranks[device].kind;
  if (at === undefined) return true;
  const parameters = noHost(name);
  // A row that is taken over may be in another file.
  const related = [{ place: at, message: 'This row.' }];
  const hint = { kind: 'host', device: name } as const;
  report.add(
    at.uri === report.uri
      ? finding('type/mismatch', at, parameters, { hint })
      : finding('type/mismatch', atSchedule, parameters, { related, hint }),
  );
  return true;
}

function rowsPlan(
  notes: Notes,
  report: Reporter,
  { name: pipeline, cut, microbatches, iterations, transfer, at }: SettledPipeline,
  ranks: Ranks,
  edges: readonly EdgePlan[],
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name, weights } = definition;
  if (body.kind !== 'rows') return undefined;
  const devices = ranks.ranks.length;
  const { placement, copies } = ranks;
  const stagesOf = stagesOfDevices(placement, copies, devices);
  const number = (index: number): number => copies?.[index].stage ?? index;
  const before: number[][] = Array.from({ length: cut.count }, () => []);
  for (const { from, to } of edges) if (number(from) !== number(to)) before[number(to)].push(number(from));
  const numbers = { stages: cut.count, devices, microbatches, iterations, stagesOf, before };
  const rows = body.expand(numbers, report);
  const rowOf = body.rows(numbers);
  if (rows === undefined || lacksHost(report, rows, ranks, rowOf, notes.report.place(at('schedule')))) return undefined;
  const used = body.operations?.(numbers, rows, report);
  if (used === undefined && body.operations !== undefined) return undefined;
  if (used !== undefined && used !== 'none' && refusesTransfer(notes.report, name, transfer.rule, at('transfer')))
    return undefined;
  notes.tracers.set(pipeline, body.trace(numbers));
  const stays = rows.every(({ keeper }) => keeper === undefined);
  if (body.periodEnds !== undefined && stays && definition.uri === notes.uri)
    hintPeak(notes, body.periodEnds, rows, pipeline);
  rowOrigins(notes.origins, pipeline, devices, rowOf);
  return {
    kind: 'rows',
    name,
    ...given(definition),
    rows: copies === undefined ? rows : ofCopies(rows, placement, copies),
    ...(body.fill === true ? { fill: true } : {}),
    ...(body.apart === true ? { apart: true } : {}),
    ...(weights === 'flush' ? {} : { weights }),
    ...(used === undefined || used === 'none' ? {} : { operations: operationsPlan(used, rows, placement, copies) }),
  };
}
