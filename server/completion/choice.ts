/** A value that may be written into a slot, and what the simulation of the file with it gives. */
import { cutStages } from '../../engine/costs/stages.ts';
import { exposedGradients } from '../../engine/analyze/shares.ts';
import { runnersOf } from '../../engine/engines/runners.ts';
import type { Analysis } from '../../engine/flow/check.ts';
import { type Figures, figuresOf } from '../../engine/fixes/effect.ts';
import { simulated } from '../../engine/fixes/outcome.ts';
import { isSynchronous } from '../../engine/fixes/policies.ts';
import type { Edit } from '../../engine/fixes/proposal.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { SimulatedKey, ValueSlot } from './slot.ts';

export interface Choice {
  readonly key: SimulatedKey;
  readonly name: string;
  /** What is written: the name, with arguments where this pipeline needs others than the defaults. */
  readonly text: string;
  /** Another number of stages, which a schedule needs. It is written with it. */
  readonly cut?: Edit & { readonly stages: number };
  /** The file after it is written. */
  readonly file: () => string;
  /** Devices of the pipeline, and the stages with which all of them are used. */
  readonly devices: number;
  readonly stages: number;
  /** Its order is searched for, which takes too long here. */
  readonly long: boolean;
  /** Machines that the file does not have: parameter servers. */
  readonly servers?: number;
  /** Why the value changes nothing here. It is not simulated then. */
  readonly idle?: string;
}

/** What the simulation of the changed file gives, or why there is none. */
export type Outcome = SimulatedChoice | { readonly problem: string };

export interface SimulatedChoice {
  readonly figures: Figures;
  /** Share of the iteration in which devices wait for gradients, on average. */
  readonly waits: number;
  /** Whether the weights are updated once after every iteration, as in plain training. */
  readonly synchronous: boolean;
  /** Why the engine of the pipeline does not run it. */
  readonly unsupported?: string;
  /** Titles of the common engines that run it; absent where the file or a setting names the engine. */
  readonly runners?: readonly string[];
}

/** The pipeline with a value that its devices can run. Offsets in `analysis` are of a file with `written` in the slot. */
export interface Base {
  readonly analysis: Pick<Analysis, 'syntax' | 'resolution'>;
  readonly plan: PipelinePlan;
  readonly written: string;
}

/** Values that show how many devices and stages a pipeline has: one of them suits it. */
const probes: Readonly<Record<SimulatedKey, readonly string[]>> = {
  schedule: ['1f1b', ...[2, 3, 4, 5, 6, 8].map((chunks) => `interleaved_1f1b(chunks = ${chunks})`)],
  sync: ['end', 'overlap'],
  collective: ['ring', 'ps'],
};

export const fileWith = ({ before, after }: ValueSlot, text: string): string => before + text + after;

/** Undefined where the rest of the pipeline has errors. Nothing is simulated for it. */
export function* baseOf(
  slot: ValueSlot,
  plannedAgain: (text: string) => Pick<Analysis, 'syntax' | 'resolution'>,
): Generator<void, Base | undefined, void> {
  for (const written of probes[slot.key]) {
    const analysis = plannedAgain(fileWith(slot, written));
    const plan = analysis.resolution.plan.pipelines.find(({ name }) => name === slot.pipeline);
    if (plan !== undefined) return { analysis, plan, written };
    yield;
  }
  return undefined;
}

/**
 * Undefined while the figures are still to come. Figures of a schedule that leaves devices out would not compare with the others, so
 * it has none.
 */
export function outcomeOf(
  changed: Analysis,
  pipeline: string,
  { key, devices, stages }: Pick<Choice, 'key' | 'devices' | 'stages'>,
): Outcome | undefined {
  const found = simulated(changed, pipeline);
  const used = found?.plan.devices.length;
  if (used !== undefined && used !== devices)
    return { problem: `This cut would use ${used} of ${devices} devices. Write ${stages} stages to use all.` };
  const written = found === undefined ? stages : cutStages(found.plan).length;
  if (written < stages)
    return { problem: `This cut has ${written} stages. The schedule needs ${stages} for ${devices} devices.` };
  if (found !== undefined) {
    const { report } = found.run;
    const runners = found.plan.engines?.chosen === undefined ? runnersOf(found.plan) : undefined;
    const unsupported = unsupportedAt(changed, pipeline, key);
    return {
      figures: figuresOf(report),
      waits: exposedGradients(report),
      synchronous: isSynchronous(found.plan),
      ...(unsupported === undefined ? {} : { unsupported }),
      ...(runners === undefined ? {} : { runners }),
    };
  }
  if (changed.pending.includes(pipeline)) return undefined;
  const body = pipelineBody(changed.syntax, pipeline);
  const errors = changed.findings.filter(({ severity }) => severity === 'error');
  const inside = errors.find(({ place }) => body !== undefined && place.start >= body.start && place.end <= body.end);
  const error = inside ?? errors[0];
  return error === undefined ? undefined : { problem: `It does not run in this file. ${error.message}` };
}

/** What the engine of the pipeline does not run of a key. */
const unsupportedAt = ({ findings }: Analysis, pipeline: string, key: string): string | undefined =>
  findings.find(
    ({ code, hint }) =>
      code === 'engine/unsupported' && hint?.kind === 'engine' && hint.pipeline === pipeline && hint.key === key,
  )?.message;
