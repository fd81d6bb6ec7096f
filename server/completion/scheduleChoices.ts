import type { Analysis } from '../../engine/check.ts';
import { type Figures, figuresOf } from '../../engine/fixes/effect.ts';
import { simulated } from '../../engine/fixes/outcome.ts';
import { isSynchronous, policyWriting, searchesLong, stageCount } from '../../engine/fixes/policies.ts';
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import type { PipelinePlan } from '../../engine/plan.ts';
import { policies } from '../../engine/policies/registry.ts';
import { cutStages } from '../../engine/stages.ts';
import type { View } from '../view.ts';
import type { ScheduleSlot } from './scheduleSlot.ts';
import { symbolsOf } from './symbols.ts';

/** A schedule that may be written into a slot. */
export interface ScheduleChoice {
  readonly name: string;
  /** What is written: the name, with arguments where this pipeline needs others than the defaults. */
  readonly text: string;
  /** Another number of stages, which the schedule needs. It is written with it. */
  readonly cut?: Edit & { readonly stages: number };
  /** The file after it is written. */
  readonly file: () => string;
  /** Devices of the pipeline, and the stages with which the schedule uses all of them. */
  readonly devices: number;
  readonly stages: number;
  /** Its order is searched for, which takes too long here. */
  readonly long: boolean;
}

/** What the simulation of the changed file gives, or why there is none. */
export type ScheduleOutcome = SimulatedSchedule | { readonly problem: string };

export interface SimulatedSchedule {
  readonly figures: Figures;
  /** Whether the weights are updated once after every iteration, as in plain training. */
  readonly synchronous: boolean;
}

/** The pipeline under a schedule that its devices can run. Offsets in `analysis` are of a file with `written` in the slot. */
export interface Base {
  readonly analysis: Pick<Analysis, 'syntax' | 'resolution'>;
  readonly plan: PipelinePlan;
  readonly written: string;
}

/** Schedules that show how many devices and stages a pipeline has: its cut suits one of them. */
const probes = ['1f1b', ...[2, 3, 4, 5, 6, 8].map((chunks) => `interleaved_1f1b(chunks = ${chunks})`)];

const fileWith = ({ before, after }: ScheduleSlot, text: string): string => before + text + after;

/** Undefined where the rest of the pipeline has errors. Nothing is simulated for it. */
export function* baseOf(
  slot: ScheduleSlot,
  plannedAgain: (text: string) => Pick<Analysis, 'syntax' | 'resolution'>,
): Generator<void, Base | undefined, void> {
  for (const written of probes) {
    const analysis = plannedAgain(fileWith(slot, written));
    const plan = analysis.resolution.plan.pipelines.find(({ name }) => name === slot.pipeline);
    if (plan !== undefined) return { analysis, plan, written };
    yield;
  }
  return undefined;
}

/** Schedules of the file, then all policies. */
export function choicesFor(view: View, slot: ScheduleSlot, base: Base): readonly ScheduleChoice[] {
  const devices = base.plan.devices.length;
  const declared = symbolsOf(view, ['schedule']).map(({ name }) => ({
    name,
    text: name,
    file: () => fileWith(slot, name),
    devices,
    stages: cutStages(base.plan).length,
    long: false,
  }));
  const builtIn = policies.map((policy): ScheduleChoice => {
    const { text, stages } = policyWriting(policy, base.plan, slot.written, view.syntax.text);
    const edit = stages === cutStages(base.plan).length ? undefined : cutEdit(slot, base, stages);
    // Places in the file without what stands in the slot.
    const around = edit === undefined ? [] : [{ ...edit, ...moved(edit, slot, -base.written.length) }];
    const insert = { start: slot.start, end: slot.start, text };
    return {
      name: policy.name,
      text,
      ...(edit === undefined
        ? {}
        : { cut: { ...edit, ...moved(edit, slot, slot.end - slot.start - base.written.length), stages } }),
      file: () => apply(fileWith(slot, ''), [insert, ...around]),
      devices,
      stages,
      long: searchesLong(policy, base.plan),
    };
  });
  return [...declared, ...builtIn];
}

/** Only in the pipeline itself: a number elsewhere may be meant for other pipelines too. */
function cutEdit(slot: ScheduleSlot, { analysis }: Base, stages: number): Edit | undefined {
  const body = pipelineBody(analysis.syntax, slot.pipeline);
  const edit = body === undefined ? undefined : stageCount({ analysis, body }, stages);
  return edit === undefined || body === undefined || edit.start < body.start || edit.end > body.end ? undefined : edit;
}

/** Places behind the slot move with the length of its content. */
const moved = ({ start, end }: Edit, slot: ScheduleSlot, by: number): { start: number; end: number } =>
  start < slot.start ? { start, end } : { start: start + by, end: end + by };

/**
 * Undefined while the figures are still to come. Figures of a schedule that leaves devices out would not compare with the others, so
 * it has none.
 */
export function outcomeOf(
  changed: Analysis,
  pipeline: string,
  { devices, stages }: Pick<ScheduleChoice, 'devices' | 'stages'>,
): ScheduleOutcome | undefined {
  const found = simulated(changed, pipeline);
  const used = found?.plan.devices.length;
  if (used !== undefined && used !== devices)
    return { problem: `This cut would use ${used} of ${devices} devices. Write ${stages} stages to use all.` };
  if (found !== undefined) return { figures: figuresOf(found.run.report), synchronous: isSynchronous(found.plan) };
  if (changed.pending.includes(pipeline)) return undefined;
  const body = pipelineBody(changed.syntax, pipeline);
  const errors = changed.findings.filter(({ severity }) => severity === 'error');
  const inside = errors.find(({ place }) => body !== undefined && place.start >= body.start && place.end <= body.end);
  const error = inside ?? errors[0];
  return error === undefined ? undefined : { problem: `It does not run in this file. ${error.message}` };
}
