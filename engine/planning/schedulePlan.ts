/** The schedule of a pipeline's plan: rules and rows of a user's schedule filled in with the pipeline's numbers. */
import type { Reporter } from '../findings/reporter.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { createReporter } from '../findings/reporter.ts';
import { type ScheduleDefinition, rowOf } from '../definitions/schedule.ts';
import { paths, type RowPlan, type SchedulePlan, type StageCopy } from '../plan.ts';
import type { Notes } from './notes.ts';
import type { Ranks } from './place/ranks.ts';

/** The plan; `undefined` where an expression of the schedule is wrong for these numbers, which has been reported. */
export function schedulePlan(notes: Notes, pipeline: SettledPipeline, ranks: Ranks): SchedulePlan | undefined {
  const { use } = pipeline;
  if (use.kind === 'policy') return { kind: 'policy', name: use.policy.name, args: use.args };
  const { definition } = use;
  const foreign = definition.uri === notes.uri ? undefined : createReporter(definition.uri, 10);
  const report = foreign ?? notes.report;
  const unmet = isUnmet(notes, report, pipeline, ranks, definition);
  const plan = unmet
    ? undefined
    : definition.body.kind === 'rows'
      ? rowsPlan(notes, report, pipeline, ranks, definition)
      : greedyPlan(report, pipeline, ranks, definition);
  if (foreign !== undefined) reportForeign(notes, pipeline, foreign);
  return plan;
}

/** Whether a condition of the schedule does not hold for the pipeline, which is reported. */
function isUnmet(
  notes: Notes,
  report: Reporter,
  { name: pipeline, cut, microbatches, at }: SettledPipeline,
  { ranks }: Ranks,
  { name, unmet }: ScheduleDefinition,
): boolean {
  const found = unmet({ stages: cut.count, devices: ranks.length, microbatches }, report);
  if (found === undefined) return false;
  const { problem, input, values, place } = found;
  notes.report.report(
    'schedule/shape',
    at('schedule'),
    { policy: name, problem, input, values },
    {
      related: [{ place, message: 'The condition.' }],
      ...(values.length > 0 ? { hint: { kind: 'value', pipeline, input, values } } : {}),
    },
  );
  return true;
}

/** Arguments, if there are any. */
const given = ({ args }: ScheduleDefinition): Pick<SchedulePlan & { kind: 'rows' }, 'args'> =>
  Object.keys(args).length === 0 ? {} : { args };

/** The expressions of an imported schedule are in another file: their first error is reported at the pipeline's key. */
function reportForeign({ report }: Notes, { at }: SettledPipeline, foreign: Reporter): void {
  const first = foreign.findings.find((found) => found.severity === 'error');
  if (first === undefined) return;
  report.add({
    ...first,
    place: report.place(at('schedule')),
    related: [{ place: first.place, message: 'This expression, with the numbers of the pipeline.' }],
    hint: undefined,
  });
}

function greedyPlan(
  report: Reporter,
  { cut, microbatches }: SettledPipeline,
  ranks: Ranks,
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name, placement, split, weights } = definition;
  if (body.kind !== 'greedy') return undefined;
  const inFlight = body.inFlight({ stages: cut.count, devices: ranks.ranks.length, microbatches }, report);
  if (inFlight === undefined) return undefined;
  return {
    kind: 'greedy',
    name,
    ...given(definition),
    placement: placement?.rule ?? 'linear',
    split,
    prefer: body.prefer,
    inFlight,
    weights,
  };
}

function rowsPlan(
  notes: Notes,
  report: Reporter,
  { name: pipeline, cut, microbatches }: SettledPipeline,
  ranks: Ranks,
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name, parts } = definition;
  if (body.kind !== 'rows') return undefined;
  const devices = ranks.ranks.length;
  const stagesOf: number[][] = ranks.ranks.map(() => []);
  // Rows name stages of the cut; the copy that is meant is the one on the row's device.
  for (const [stage, device] of ranks.placement.entries()) {
    const copy = ranks.copies?.[stage];
    if ((copy?.segment ?? 0) === 0) stagesOf[device].push(copy?.stage ?? stage);
  }
  const rows = body.expand({ stages: cut.count, devices, microbatches, stagesOf }, report);
  if (rows === undefined) return undefined;
  for (let device = 0; device < devices; device += 1) {
    const row = rowOf(body, device);
    if (row === undefined) continue;
    notes.origins.set(paths.row(pipeline, device), row.place);
    for (const [index, item] of row.items.entries()) notes.origins.set(paths.rowItem(pipeline, device, index), item);
  }
  for (const [device, row] of body.byDevice) {
    if (device >= devices)
      report.report('value/range', row.device, {
        what: 'The number of the device',
        value: String(device),
        allowed: `from 0 to ${devices - 1}`,
      });
  }
  const { copies } = ranks;
  return {
    kind: 'rows',
    name,
    ...given(definition),
    rows: copies === undefined || parts > 1 ? rows : ofCopies(rows, ranks, copies),
  };
}

/** Rows of stages as rows of their copies: the one on the device of the row; where it has none, the one that runs the microbatch. */
export function ofCopies(
  rows: readonly RowPlan[],
  { placement }: Pick<Ranks, 'placement'>,
  copies: readonly StageCopy[],
): readonly RowPlan[] {
  const of = new Map<number, number[]>();
  for (const [index, { stage }] of copies.entries()) of.set(stage, [...(of.get(stage) ?? []), index]);
  return rows.map((row, device) => ({
    ...row,
    stages: row.stages.map((stage, at) => {
      const items = of.get(stage) ?? [];
      const runs = (index: number) => row.microbatches[at] % copies[index].every === copies[index].first;
      const here = items.find((index) => placement[index] === device) ?? items.find(runs);
      // A stage that is not there stays so, whatever the number of copies.
      return here ?? copies.length;
    }),
  }));
}
