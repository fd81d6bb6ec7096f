/** A deadlock in sentences: each step of its circle, and the figures of the stall. */
import { count, list, moment } from '../../engine/basics/quantities.ts';
import { type PipelinePlan, paths } from '../../engine/values/plan.ts';
import { kindOf, kinds, letters } from '../../engine/values/program.ts';
import { startsWithNext, stepName } from '../../engine/schedule/deadlockSteps.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import { type Circle, stallFigures } from './stalledRows.ts';

export interface StepSentence {
  /** Names of operations are at odd places. */
  readonly parts: readonly string[];
  /** Path of the text that causes the wait; undefined if the model causes it. */
  readonly path?: string;
}

/** One sentence for each step of a circle: who waits, for what, and on which devices. */
export function stepSentences(stall: Stall, plan: PipelinePlan, circle: Circle): readonly StepSentence[] {
  const { program } = stall;
  const on = (device: number): string => ` on ${plan.devices[device]?.name ?? `device ${device}`}`;
  return circle.map((step, index) => {
    const next = circle[(index + 1) % circle.length];
    const [from, to] = [stepName(program, step), stepName(program, next)];
    if (step.because === 'exchange')
      return { parts: ['', from, `${on(step.device)} ends at the same time as `, to, `${on(next.device)}.`] };
    if (step.because === 'order') {
      const path =
        program.items === undefined
          ? paths.key(plan.name, 'schedule')
          : paths.rowItem(plan.name, step.device, program.items[step.position]);
      return startsWithNext(program, step, next)
        ? { parts: ['', from, ' starts at the same time as ', to, `${on(step.device)}.`], path }
        : { parts: ['', from, ' comes after ', to, ` in the row of${on(step.device).slice(3)}.`], path };
    }
    const kind = kindOf(program, next.word);
    const what = kind >= kinds ? 'the result of' : needed[letters[kind]];
    return { parts: ['', from, `${on(step.device)} needs ${what} `, to, `${on(next.device)}.`] };
  });
}

const needed = {
  F: 'the activations of',
  B: 'the gradient from',
  I: 'the gradient from',
  W: 'the weight gradient of',
  R: 'the activations of',
  U: 'the result of',
  E: 'the activations of',
  L: 'the activations of',
} as const;

/** `Deadlock after 8 ms: 3 of 16 operations ran, 4 devices wait.` */
export function stallSentence(stall: Stall): string {
  const { ran, operations, waiting } = stallFigures(stall);
  const ranText = `${ran} of ${count(operations, 'operation', 'operations')} ran`;
  return `Deadlock after ${moment(stall.seconds)}: ${list([ranText, count(waiting, 'device waits', 'devices wait')])}.`;
}
