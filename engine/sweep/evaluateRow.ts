/** A row with its figures: planned, and simulated where it can still matter. */
import { parse } from '../../grammar/index.ts';
import { bytes, bytesApart } from '../basics/quantities.ts';
import { expectationOf, figureOf, isOpen } from '../analyze/expectations.ts';
import { fullestRoom, isTight } from '../analyze/room.ts';
import { ordered, simulatedIn } from '../flow/evaluate.ts';
import { runnersOf } from '../engines/runners.ts';
import { mostHeld } from '../order/memory/most.ts';
import { staticBytes } from '../order/memory/walk.ts';
import type { AccuracyReport } from '../values/accuracy.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import { findPolicy } from '../policies/registry.ts';
import type { PipelineReport } from '../values/report.ts';
import { resolve } from '../flow/resolve.ts';
import { directSearches, type Searches } from '../basics/searches.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { rankKeys } from './axes.ts';
import type { SweepBase } from './base.ts';
import type { RowWork } from './classBound.ts';
import { dominates, type Figures } from './front.ts';
import { isPlain } from './plainPolicy.ts';
import type { PlacedRow } from './placeRow.ts';
import { rowText } from './rowText.ts';
import { recomputesLayers, storedBytes } from './storedBytes.ts';

/** Figures of a row that ran; seconds, bytes, shares of 1. */
export interface RowFigures extends Figures {
  /** Samples of its iteration, if not as many as other rows have. */
  readonly batch?: number;
  /** Samples per second. */
  readonly throughput: number;
  /** Share of the peak FLOPs that the model asks for; absent where layers are measured. */
  readonly mfu?: number;
  readonly bubble: number;
  /** With `tight`: bytes of that device. */
  readonly left?: number;
  /** Every device is within its memory, and all limits hold. */
  readonly meets: boolean;
  /** The first limit that does not hold, with its figure and by how much: `peak_memory < 70GiB: 72.1 GiB, 2.1 GiB too much`. */
  readonly missed?: string;
  /** If that limit is of memory: bytes that are too much. */
  readonly over?: number;
  /** How far published runs of its kind are off; absent where layers are measured. */
  readonly spread?: RowSpread;
  /** Titles of the common engines that run it; absent where the file names its engine. */
  readonly runs_on?: readonly string[];
}

/** Of an `AccuracyReport`: the intervals around time and peak, and of how many `runs` the excess of memory still fits. */
export interface RowSpread {
  readonly time?: number;
  readonly memory?: number;
  readonly fit?: number;
  readonly runs?: number;
}

const spreadOf = ({ time, memory }: AccuracyReport): RowSpread => ({
  ...(time === undefined ? {} : { time: time.share }),
  ...(memory === undefined ? {} : { memory: memory.share, fit: memory.fit, runs: memory.runs }),
});

/** What became of a row. */
export type Outcome =
  | { readonly kind: 'ran'; readonly figures: RowFigures; readonly work?: RowWork }
  /** Weights, gradients, optimizer state and buffers alone are more than a device has; bytes. */
  | { readonly kind: 'over'; readonly least: number; readonly capacity: number; readonly work?: RowWork }
  /** Its order needs more memory than a device has; bytes, of the fullest device and too many at most. */
  | { readonly kind: 'full'; readonly peak: number; readonly over: number; readonly work?: RowWork }
  /** Bounds on its time and memory show that another row is better in both. */
  | { readonly kind: 'dropped'; readonly work?: RowWork }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

const searches: Searches = { ...directSearches(), figuresOnly: true };

/** `front`: rows that meet all limits. */
export function evaluateRow(base: SweepBase, row: PlacedRow, front: readonly Figures[]): Outcome {
  const { uri, host, options, overrides } = base.file;
  const written = rowText(base, row);
  if ('refused' in written) return { kind: 'refused', code: 'search/refused', message: `${written.refused}.` };
  const limits = { size: options.limits.fileSize, faults: options.limits.findings };
  const syntax = parse(written.text, limits, base.syntax);
  const resolution = resolve({ uri, syntax, host, options, overrides, searches, earlier: base.resolution });
  const plan = resolution.plan.pipelines.find(({ name }) => name === base.pipeline);
  if (plan === undefined) {
    const found = resolution.findings.find(({ severity }) => severity === 'error');
    const { code, message } = found ?? { code: 'search/refused', message: 'The pipeline cannot be planned.' };
    return { kind: 'refused', code, message };
  }
  const unsupported = resolution.findings.find(
    ({ code, hint }) => code === 'engine/unsupported' && hint?.kind === 'engine' && hint.pipeline === plan.name,
  );
  if (unsupported !== undefined) return { kind: 'refused', code: unsupported.code, message: unsupported.message };
  const problem = otherTraining(row, plan);
  if (problem !== undefined) return { kind: 'refused', code: 'search/refused', message: problem };
  const work = workOf(plan);
  const known = work === undefined ? {} : { work };
  for (const [device, { memory, reserved }] of plan.devices.entries()) {
    const least = staticBytes(plan, device);
    if (least > memory - reserved) return { kind: 'over', least, capacity: memory - reserved, ...known };
  }
  const bounds = boundsOf(base, row, plan);
  if (front.some((figures) => dominates(figures, bounds))) return { kind: 'dropped', ...known };
  const found = ordered(plan);
  if ('faults' in found) return refusedFor(found);
  const peaks = peaksOf(plan, found.program);
  if (peaks !== undefined) {
    const memory = memoryOf(plan, peaks, base.margin);
    const over = plan.devices.reduce(
      (most, device, at) => Math.max(most, peaks[at] - (device.memory - device.reserved)),
      0,
    );
    if (over > 0) return { kind: 'full', peak: memory.peak, over, ...known };
    const least = { ...bounds, ...memory, peak: Math.max(bounds.peak, memory.peak) };
    if (front.some((figures) => dominates(figures, least))) return { kind: 'dropped', ...known };
  }
  const ran = simulatedIn(plan, found.program);
  if ('faults' in ran) return refusedFor(ran);
  return { kind: 'ran', figures: figuresOf(base, row, plan, ran.run.report), ...known };
}

const refusedFor = ({
  faults: [{ code, message }],
}: Extract<ReturnType<typeof ordered>, { faults: unknown }>): Outcome => ({
  kind: 'refused',
  code,
  message,
});

/**
 * Bytes that each device needs at least for its order, whatever the times. Undefined if devices keep activations of each other, or for
 * a schedule of the file.
 */
function peaksOf(plan: PipelinePlan, program: Program): readonly number[] | undefined {
  const { schedule } = plan;
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  if (policy === undefined || policy.partners !== undefined) return undefined;
  return plan.devices.map((_, device) => {
    const { activations, workspace } = mostHeld(plan, program, device);
    return staticBytes(plan, device) + activations + workspace;
  });
}

/** Rows compare only if they train the samples that they are to have, on the same devices. */
function otherTraining(row: PlacedRow, plan: PipelinePlan): string | undefined {
  const samples = plan.microbatches * plan.microBatchSize * plan.data;
  if (Math.abs(samples - row.samples) > 1e-6 * row.samples)
    return `An iteration has ${samples} samples instead of ${row.samples}.`;
  // Replicas of a planner or of `on` are no ranks.
  if (!rankKeys.some((key) => key in row.settings)) return undefined;
  const devices = plan.devices.reduce((sum, { members = 1 }) => sum + members, 0);
  const wanted = row.tensor * row.context * row.data * row.ranks;
  return devices === wanted ? undefined : `It runs on ${devices} of the ${wanted} devices.`;
}

function figuresOf(
  { batch, margin }: SweepBase,
  { samples }: PlacedRow,
  plan: PipelinePlan,
  report: PipelineReport,
): RowFigures {
  const { accuracy, iteration, throughput, devices, bubble, model_flops: flops } = report;
  const peak = devices.reduce((most, device) => Math.max(most, device.peak), 0);
  const room = fullestRoom(devices);
  const full = devices
    .filter((device) => device.peak > device.capacity)
    .toSorted((a, b) => b.peak - b.capacity - (a.peak - a.capacity))[0] as (typeof devices)[number] | undefined;
  const failed = plan.expects.find((expect) => !isOpen(plan, expect) && !expectationOf(plan, report, expect).holds);
  const runners = plan.engines?.chosen === undefined ? runnersOf(plan) : undefined;
  const missed =
    full !== undefined ? tooFull(full) : failed === undefined ? undefined : missedLimit(plan, report, failed);
  const over =
    full !== undefined
      ? full.peak - full.capacity
      : failed?.figure === 'peak_memory'
        ? figureOf(plan, report, failed) - failed.bound
        : undefined;
  return {
    iteration,
    ...(samples === batch ? {} : { scaled: (iteration * batch) / samples }),
    peak,
    ...(samples === batch ? {} : { batch: samples }),
    throughput,
    ...(flops === undefined ? {} : { mfu: flops.utilisation }),
    bubble: bubble.makespan,
    ...(room.share >= 0 && isTight(room, margin) ? { tight: room.share, left: room.left } : {}),
    meets: full === undefined && failed === undefined,
    ...(missed === undefined ? {} : { missed }),
    ...(over === undefined ? {} : { over }),
    ...(accuracy === undefined ? {} : { spread: spreadOf(accuracy) }),
    ...(runners === undefined ? {} : { runs_on: runners }),
  };
}

/** `peak_memory <= 79.6 GiB of gpu[0]: 82 GiB, 2.4 GiB too much`, in the form of a limit. */
const tooFull = ({ name, peak, capacity }: PipelineReport['devices'][number]): string =>
  `peak_memory <= ${bytes(capacity)} of ${name}: ${bytes(peak)}, ${bytesApart(peak - capacity)} too much`;

function missedLimit(plan: PipelinePlan, report: PipelineReport, expect: PipelinePlan['expects'][number]): string {
  const { shown, apart } = expectationOf(plan, report, expect);
  return `${expect.text}: ${shown}${apart === undefined ? '' : `, ${apart}`}`;
}

/**
 * Undefined if devices may do less: operations that overlap, segments, copies of stages, unequal microbatches, operations of a schedule
 * of the file.
 */
function workOf(plan: PipelinePlan): RowWork | undefined {
  const { schedule, stages, lengths, slow = [] } = plan;
  if (schedule.kind !== 'policy' || lengths !== undefined || plan.fill !== undefined) return undefined;
  if (stages.some(({ copy, offloaded }) => copy !== undefined || offloaded !== undefined)) return undefined;
  const policy = findPolicy(schedule.name);
  if (policy === undefined || !isPlain(policy)) return undefined;
  let [all, computing] = [0, 0];
  const isOfLayers = recomputesLayers(plan);
  for (const { forward, recompute, backwardInput, backwardWeight, traffic = {} } of stages) {
    const seconds = forward + backwardInput + backwardWeight + (isOfLayers ? recompute : 0);
    // Exchanges of recomputation are among these, so this may be too much, never too little.
    const exchanged = Object.values(traffic).reduce((sum, { exposed }) => sum + exposed, 0);
    all += seconds;
    computing += Math.max(0, seconds - exchanged);
  }
  return {
    all,
    computing: slow.reduce((least, factor) => Math.min(least, factor), 1) * computing,
    stored: storedBytes(plan),
  };
}

/**
 * Figures that no order of this plan is under, seconds for the samples that rows share. A device does all its work; with one stage each and whole backwards, it also waits for the
 * stages above it. When a microbatch has come down to the last stage, every device holds it for each of its stages.
 */
function boundsOf({ size, margin, batch }: SweepBase, { samples }: PlacedRow, plan: PipelinePlan): Figures {
  const peaks: number[] = [];
  let iteration = 0;
  const { schedule, stages, placement, microbatches, slow } = plan;
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  const isKnown = workOf(plan) !== undefined && size.chain;
  const isHeld = isKnown && policy?.partners === undefined;
  const isLone = isKnown && policy?.split === false && placement.every((device, stage) => device === stage);
  const times = stages.map(
    ({ forward, recompute, backwardInput, backwardWeight }) => forward + recompute + backwardInput + backwardWeight,
  );
  let above = 0;
  for (const device of plan.devices.keys()) {
    const own = stagesOn(placement, device);
    const held = isHeld ? own.reduce((sum, stage) => sum + stages[stage].activation, 0) : 0;
    peaks.push(staticBytes(plan, device) + held);
    if (!isKnown) continue;
    const work = own.reduce((sum, stage) => sum + times[stage], 0) * (slow?.[device] ?? 1);
    iteration = Math.max(iteration, (microbatches * work + above) * (1 - 1e-9));
    if (isLone) above += work;
  }
  return { iteration: iteration * (batch / samples), ...memoryOf(plan, peaks, margin) };
}

/** Of the peak of each device: the greatest, and what the fullest device has left. */
function memoryOf({ devices }: PipelinePlan, peaks: readonly number[], margin: number): Omit<Figures, 'iteration'> {
  const { share } = fullestRoom(
    devices.map(({ memory, reserved }, device) => ({ peak: peaks[device], capacity: memory - reserved })),
  );
  return {
    peak: peaks.reduce((most, bytes) => Math.max(most, bytes), 0),
    ...(isTight({ share }, margin) ? { tight: share } : {}),
  };
}
