import { explainWait } from '../../engine/analyze/waits/explainWait.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { memoryStack } from '../../engine/simulate/memoryStack.ts';
import type { Timeline } from '../../engine/values/timeline.ts';
import type { Columns } from '../picture/columns.ts';
import type { Answer, Question } from '../picture/questions.ts';
import { blockShift } from './makeColumns.ts';

export interface Asked {
  readonly plan: PipelinePlan;
  readonly timeline: Timeline;
  readonly columns: Columns;
}

/** Undefined where the question is about a device that the timeline lacks. */
export function answerTo({ plan, timeline, columns }: Asked, question: Question): Answer | undefined {
  const { program } = timeline;
  if (question.kind === 'stack')
    return question.device < program.devices
      ? { kind: 'stack', stack: memoryStack(plan, timeline, question.device) }
      : undefined;
  const { gap } = question;
  if (gap.device >= program.devices) return undefined;
  const shift = blockShift(columns, program.offsets);
  // The blocks of the step come after the operations of their device.
  const position = gap.before < 0 ? -1 : gap.before - shift[gap.device];
  const before = position < program.offsets[gap.device + 1] ? position : -1;
  const { device, from, to } = gap;
  const { steps, ...explanation } = explainWait(plan, timeline, { device, from, to, before });
  const deviceOf = (at: number): number => program.placement[(program.order[at] >> program.shift) % program.stages];
  const blockOf = (at: number): number => (at < 0 ? -1 : at + shift[deviceOf(at)]);
  return {
    kind: 'why',
    why: { ...explanation, device, from, to, steps: steps.map((step) => ({ ...step, block: blockOf(step.position) })) },
  };
}
