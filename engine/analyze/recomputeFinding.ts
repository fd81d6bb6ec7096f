import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { kindOf, type Program, R, stageOf } from '../values/program.ts';

/** `key/not-applicable` at the first R of a schedule whose stages recompute nothing: the operations take no time. */
export function recomputeFinding(plan: PipelinePlan, program: Program): PlanFinding[] {
  if (plan.schedule.kind === 'policy' || program.apart === undefined) return [];
  const { order, offsets, items, placement } = program;
  let first = -1;
  for (let position = 0; position < order.length; position += 1) {
    if (kindOf(program, order[position]) !== R) continue;
    const { recompute, recomputed, recomputedWhole = recomputed } = plan.stages[stageOf(program, order[position])];
    if (recompute > 0 || recomputedWhole > 0) return [];
    if (first < 0) first = position;
  }
  if (first < 0) return [];
  const stage = stageOf(program, order[first]);
  const device = placement[stage];
  const at =
    items === undefined || first < offsets[device]
      ? paths.key(plan.name, 'schedule')
      : paths.rowItem(plan.name, device, items[first]);
  const reason =
    'no stage recomputes anything, so it takes 0 s; set `recompute = full` in the pipeline, or leave R out of the schedule';
  return [
    planFinding(
      'key/not-applicable',
      at,
      { key: 'R', reason },
      {
        severity: 'hint',
        hint: { kind: 'value', pipeline: plan.name, input: 'recompute', values: [] },
      },
    ),
  ];
}
