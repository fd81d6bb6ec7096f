/** The schedule of a pipeline's plan: rules and rows of a user's schedule filled in with the pipeline's numbers. */
import type { FileContext } from '../language/context.ts';
import type { ScheduleDefinition } from '../read/definitions.ts';
import { wholeNumber } from '../language/expressions.ts';
import { paths, type RowItem, type SchedulePlan, type StageCopy } from '../plan.ts';
import { createReporter } from '../language/reporter.ts';
import type { PipelineRead } from '../read/pipeline.ts';
import type { Ranks } from './place/ranks.ts';
import { expandRows, rowOf } from '../read/rows.ts';

/** The plan; `undefined` where an expression of the schedule is wrong for these numbers, which has been reported. */
export function schedulePlan(context: FileContext, read: PipelineRead, ranks: Ranks): SchedulePlan | undefined {
  const { use } = read;
  if (use.kind === 'policy') return { kind: 'policy', name: use.policy.name, args: use.args };
  const definition = ownReport(context, use.definition);
  const plan =
    definition.body.kind === 'rows' ? rowsPlan(context, read, ranks, definition) : greedyPlan(read, ranks, definition);
  if (definition.context !== context) tellForeign(context, read, definition);
  return plan;
}

/** An imported schedule reports into a list of its own: its findings stand in another file. */
function ownReport(context: FileContext, definition: ScheduleDefinition): ScheduleDefinition {
  if (definition.context.uri === context.uri) return definition;
  const report = createReporter(definition.context.uri, 10);
  return { ...definition, context: { ...definition.context, report } };
}

function tellForeign(context: FileContext, { at }: PipelineRead, { context: own }: ScheduleDefinition): void {
  const [first] = own.report.findings.filter((one) => one.severity === 'error');
  if (first === undefined) return;
  context.report.add({
    ...first,
    place: context.report.place(at('schedule')),
    related: [{ place: first.place, message: 'This expression, with the numbers of the pipeline.' }],
    hint: undefined,
  });
}

function greedyPlan(
  { cut, microbatches }: PipelineRead,
  ranks: Ranks,
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name, context, split, weights } = definition;
  if (body.kind !== 'greedy') return undefined;
  const { prefer, inFlight: entry } = body;
  const expression = entry?.values?.[0];
  const [parameter] = entry?.parameters ?? [];
  const inFlight: (number | null)[] = [];
  for (let stage = 0; stage < cut.count; stage += 1) {
    if (expression === undefined) {
      inFlight.push(null);
      continue;
    }
    const variables = new Map([
      ['stages', cut.count],
      ['devices', ranks.ranks.length],
      ['microbatches', microbatches],
    ]);
    if (parameter?.kind === 'name') variables.set(parameter.text, stage);
    const most = wholeNumber(context, expression, `"in_flight" of stage ${stage}`, { min: 1, variables });
    if (most === undefined) return undefined;
    inFlight.push(most);
  }
  return { kind: 'greedy', name, placement: definition.placement?.rule ?? 'linear', split, prefer, inFlight, weights };
}

function rowsPlan(
  context: FileContext,
  { name: pipeline, cut, microbatches }: PipelineRead,
  ranks: Ranks,
  definition: ScheduleDefinition,
): SchedulePlan | undefined {
  const { body, name } = definition;
  if (body.kind !== 'rows') return undefined;
  const devices = ranks.ranks.length;
  const stagesOf: number[][] = ranks.ranks.map(() => []);
  // Rows name stages of the cut; the copy that is meant is the one on the row's device.
  for (const [stage, device] of ranks.placement.entries()) stagesOf[device].push(ranks.copies?.[stage].stage ?? stage);
  const rows = expandRows({ definition: { ...definition, body }, stages: cut.count, devices, microbatches, stagesOf });
  if (rows === undefined) return undefined;
  for (let device = 0; device < devices; device += 1) {
    const row = rowOf(body, device);
    if (row === undefined) continue;
    const place = (span: { readonly start: number; readonly end: number }) => definition.context.report.place(span);
    context.origins.set(paths.row(pipeline, device), place(row.entry));
    for (const [item, one] of row.items.entries())
      context.origins.set(paths.rowItem(pipeline, device, item), place(one));
  }
  for (const [device, row] of body.own) {
    if (device >= devices)
      definition.context.report.report('value/range', row.entry.parameters?.[0] ?? row.entry.key, {
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
      const own = of.get(item.stage) ?? [];
      const runs = (index: number) => item.microbatch % copies[index].every === copies[index].first;
      const here = own.find((index) => placement[index] === device) ?? own.find(runs);
      // A stage that is not there stays so, whatever the number of copies.
      return { ...item, stage: here ?? copies.length };
    }),
  );
}
