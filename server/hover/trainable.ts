/** How many parameters train, where not all do. */
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { amount } from '../../engine/basics/quantities.ts';
import { cutStages } from '../../engine/costs/stages.ts';
import type { View } from '../view.ts';

interface Counts {
  readonly parameters: number;
  /** Absent if all train. */
  readonly trainable?: number | undefined;
}

/** Rows of a table; none where all parameters train. */
export const trainableRows = ({ parameters, trainable }: Counts): readonly (readonly [string, string])[] =>
  trainable === undefined
    ? []
    : [
        ['of these, trainable', amount(trainable)],
        ['of these, frozen', amount(parameters - trainable)],
      ];

/** Parameters of a model as a pipeline of the file trains it; empty if none does. */
export function modelText(view: View, name: string): string {
  const found = view.analysis.pipelines.find(({ plan }) => plan.model === name);
  if (found === undefined) return '';
  const { parameters, trainable } = countsOf(found.plan);
  if (parameters === 0) return '';
  const whole = `${amount(parameters)} parameters`;
  return trainable === undefined
    ? `${whole}.`
    : `${whole}: ${amount(trainable)} trainable, ${amount(parameters - trainable)} frozen.`;
}

function countsOf(plan: PipelinePlan): Counts {
  const stages = cutStages(plan).map((stage) => stage.plan);
  const parameters = stages.reduce((sum, stage) => sum + stage.parameters, 0);
  return stages.every(({ trainable }) => trainable === undefined)
    ? { parameters }
    : { parameters, trainable: stages.reduce((sum, stage) => sum + (stage.trainable ?? stage.parameters), 0) };
}
