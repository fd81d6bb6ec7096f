/** The schedule of a pipeline's plan: rules and rows of a user's schedule filled in with the pipeline's numbers. */
import type { Reporter } from '../findings/reporter.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { createReporter } from '../findings/reporter.ts';
import { type ScheduleDefinition, rowOf } from '../definitions/schedule.ts';
import { paths, type RowItem, type SchedulePlan, type StageCopy } from '../plan.ts';
import type { Notes } from './notes.ts';
import type { Ranks } from './place/ranks.ts';

/** The plan; `undefined` where an expression of the schedule is wrong for these numbers, which has been reported. */
export function schedulePlan(notes: Notes, pipeline: SettledPipeline, ranks: Ranks): SchedulePlan | undefined {
  const { use } = pipeline;
  if (use.kind === 'policy') return { kind: 'policy', name: use.policy.name, args: use.args };
  const { definition } = use;
  const foreign = definition.uri === notes.uri ? undefined : createReporter(definition.uri, 10);
  const report = foreign ?? notes.report;
  const plan =
    definition.body.kind === 'rows'
      ? rowsPlan(notes, report, pipeline, ranks, definition)
      : greedyPlan(report, pipeline, ranks, definition);
  if (foreign !== undefined) reportForeign(notes, pipeline, foreign);
  return plan;
}

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
  { body, name, placement, split, weights }: ScheduleDefinition,
): SchedulePlan | undefined {
  if (body.kind !== 'greedy') return undefined;
  const inFlight = body.inFlight({ stages: cut.count, devices: ranks.ranks.length, microbatches }, report);
  if (inFlight === undefined) return undefined;
  return {
    kind: 'greedy',
    name,
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
  { body, name }: ScheduleDefinition,
): SchedulePlan | undefined {
  if (body.kind !== 'rows') return undefined;
  const devices = ranks.ranks.length;
  const stagesOf: number[][] = ranks.ranks.map(() => []);
  // Rows name stages of the cut; the copy that is meant is the one on the row's device.
  for (const [stage, device] of ranks.placement.entries()) stagesOf[device].push(ranks.copies?.[stage].stage ?? stage);
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
  return { kind: 'rows', name, rows: ranks.copies === undefined ? rows : ofCopies(rows, ranks, ranks.copies) };
}

/** Rows of stages as rows of their copies: the one on the device of the row; where it has none, the one that runs the microbatch. */
function ofCopies(
  rows: readonly (readonly RowItem[])[],
  { placement }: Ranks,
  copies: readonly StageCopy[],
): readonly (readonly RowItem[])[] {
  const of = new Map<number, number[]>();
  for (const [index, { stage }] of copies.entries()) of.set(stage, [...(of.get(stage) ?? []), index]);
  return rows.map((row, device) =>
    row.map((item) => {
      const items = of.get(item.stage) ?? [];
      const runs = (index: number) => item.microbatch % copies[index].every === copies[index].first;
      const here = items.find((index) => placement[index] === device) ?? items.find(runs);
      // A stage that is not there stays so, whatever the number of copies.
      return { ...item, stage: here ?? copies.length };
    }),
  );
}
