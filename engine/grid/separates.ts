/** Tries conditions on the text of a schedule: whether they refuse the shapes that fail, and no other. */
import type { ScheduleTest } from '../definitions/scheduleTest.ts';
import { scheduleEvaluator } from '../read/scheduleEvaluator.ts';
import { declaredFrom } from './declared.ts';
import type { JudgedShape } from './separate.ts';
import { takenShape } from './unitPlan.ts';

/** Shapes between two pauses: no order is built for them. */
const pause = 200;

export function* separates(
  request: ScheduleTest,
  conditions: readonly string[],
  shapes: readonly JudgedShape[],
): Generator<undefined, boolean> {
  const { schedule } = request;
  const end = schedule.text.lastIndexOf('}');
  const added = conditions.map((condition) => `\nrequire ${condition}`).join('');
  const text = `${schedule.text.slice(0, end)}${added}\n${schedule.text.slice(end)}`;
  const declared = declaredFrom({ ...request, schedule: { ...schedule, text } });
  if (declared === undefined) return false;
  for (const [index, { passes, ...shape }] of shapes.entries()) {
    const { value: definition } = scheduleEvaluator.bind(declared.schedule, shape.args);
    const isRefused = definition !== undefined && 'refused' in takenShape(definition, shape);
    if (isRefused === passes) return false;
    if (index % pause === pause - 1) yield;
  }
  return true;
}
