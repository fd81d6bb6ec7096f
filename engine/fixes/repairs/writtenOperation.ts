/** How the rows of a plan name an operation: with its chunk or stage, and with its part. */
import type { PipelinePlan, RowItem, StagePlan } from '../../values/plan.ts';
import { letters, runsMicrobatch } from '../../values/program.ts';
import { planCopies } from '../../schedule/copies.ts';
import { stagesOn, turnsOf } from '../../basics/stagesOn.ts';
import type { Written } from './sequenceText.ts';

/** The text of each operation, as short as the schedule's placement allows. */
export function writtenOperation(plan: PipelinePlan): (operation: RowItem) => Written {
  const { stages } = plan;
  const hasCopies = stages.some(({ copy }) => copy !== undefined && isCopy(copy));
  const place = hasCopies ? byStage(plan) : byChunk(plan);
  return ({ op, stage, microbatch }) => {
    const segments = stages[stage].copy?.segments ?? 1;
    const part = segments === 1 ? '' : `, part = ${stages[stage].copy?.segment ?? 0}`;
    const isDeclared = !(letters as readonly string[]).includes(op);
    // Without a stage it would belong to the first stage of its device.
    const where = isDeclared && hasCopies ? `, stage = ${stages[stage].copy?.stage ?? stage}` : place(stage);
    return { head: `${op}[`, microbatch, tail: `${where}${part}]` };
  };
}

const isCopy = ({ every, spare }: NonNullable<StagePlan['copy']>): boolean => every > 1 || spare === true;

/** Of stages without copies: nothing for the only stage of a device, otherwise its chunk. Parts of a stage are one. */
function byChunk({ stages, placement }: PipelinePlan): (stage: number) => string {
  const turns = turnsOf(placement);
  return (stage) => {
    const segments = stages[stage].copy?.segments ?? 1;
    const alone = stagesOn(placement, placement[stage]).length === segments;
    return alone ? '' : `, chunk = ${Math.trunc(turns[stage] / segments)}`;
  };
}

/** Of stages with copies: nothing where a device runs one stage of each microbatch, otherwise the number of the stage. */
function byStage(plan: PipelinePlan): (stage: number) => string {
  const { stages, placement, microbatches, iterations } = plan;
  const copies = planCopies(plan);
  const of = copies === undefined ? {} : { copies };
  const plain = new Map<number, boolean>();
  const isPlain = (device: number): boolean => {
    const here = stagesOn(placement, device).filter((stage) => {
      const { copy } = stages[stage];
      return copy?.spare !== true && (copy?.segment ?? 0) === 0;
    });
    return Array.from({ length: microbatches * iterations }).every(
      (_, microbatch) => here.filter((stage) => runsMicrobatch(of, stage, microbatch)).length <= 1,
    );
  };
  return (stage) => {
    const device = placement[stage];
    const known = plain.get(device) ?? isPlain(device);
    plain.set(device, known);
    const { copy } = stages[stage];
    return known && copy?.spare !== true ? '' : `, stage = ${copy?.stage ?? stage}`;
  };
}
