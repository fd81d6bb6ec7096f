/** What is known of a pipeline once it was simulated. */
import { rowsLength, rowsText } from '../basics/packed.ts';
import { findPolicy } from '../policies/registry.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Program } from '../values/program.ts';
import type { PipelineReport } from '../values/report.ts';
import type { Timeline } from '../values/timeline.ts';

export interface EvaluationProblem {
  readonly plan: PipelinePlan;
  readonly options: EngineOptions;
  /** Remarks on what may help are left out: some simulate other plans, which takes longer than the figures. */
  readonly figuresOnly?: true;
}

export interface Evaluation extends EvaluationProblem {
  /** Absent where the schedule cannot be built or never ends; `findings` then say why. */
  readonly run?: Run;
  readonly findings: readonly PlanFinding[];
}

/** Memory over time is made on demand, by device: `memoryTrack(plan, timeline, device)` of `simulate/memory.ts`. */
export interface Run {
  readonly program: Program;
  readonly timeline: Timeline;
  readonly report: PipelineReport;
  /** Positions in `program.order` of the canonical critical path, first operation first. */
  readonly criticalPath: Int32Array;
  /** Seconds of the iteration under random times, by draw; absent if the report has no `jitter`. */
  readonly draws?: Float64Array;
}

/**
 * Steps of one operation and of one stage from order to report: of a schedule by policy or rule, by rows, and of one that is
 * searched for. `draws`: of an operation in all random draws.
 */
const stepsOf = {
  operation: 20,
  writtenOperation: 12,
  searchedOperation: 4_000,
  visited: 2.5,
  draws: 1_000,
  stage: 400,
  tensor: 100,
  /** Of a pair of tensors that may be the ends of a bucket: with a barrier one number is kept for it, otherwise some prefixes. */
  bucket: 1,
  bucketWithoutBarrier: 50,
  /** Lanes that are run to find pieces or credit. */
  pieces: 40,
};

/** About how many elementary steps an evaluation takes. */
export function evaluationSize(plan: PipelinePlan): number {
  const { stages, microbatches, iterations, jitter } = plan;
  const drawn = jitter === undefined ? 0 : stages.length * microbatches * iterations * 3 * stepsOf.draws;
  return sizeOfRun(plan) + sizeOfExchange(plan) + drawn;
}

/** What a rule leaves to the tool is searched for: of buckets, every pair of ends is looked at. */
function sizeOfExchange({ exchange }: PipelinePlan): number {
  if (exchange === undefined) return 0;
  const { bucket, partition, credit, barrier } = exchange.rule;
  const ofPair = bucket !== 'best' ? 0 : barrier ? stepsOf.bucket : stepsOf.bucketWithoutBarrier;
  const runs = partition === 'best' || credit === 'best' ? stepsOf.pieces : 1;
  return exchange.lanes.reduce(
    (sum, { tensors }) => sum + tensors.length * (stepsOf.tensor * runs + (ofPair * tensors.length) / 2),
    0,
  );
}

function sizeOfRun({ stages, microbatches, iterations, schedule }: PipelinePlan): number {
  if (schedule.kind === 'rows' && schedule.fill !== true) {
    const operations = rowsLength(schedule.rows);
    return stages.length * stepsOf.stage + operations * stepsOf.writtenOperation;
  }
  const policy = schedule.kind === 'policy' ? findPolicy(schedule.name) : undefined;
  const each = policy?.searches === true ? stepsOf.searchedOperation : stepsOf.operation;
  const visited = schedule.kind === 'policy' ? (policy?.searchedOperations?.(schedule.args) ?? 0) : 0;
  return stages.length * (stepsOf.stage + microbatches * iterations * 3 * each) + visited * stepsOf.visited;
}

const keys = new WeakMap<PipelinePlan, string>();

/** Equal for equal plans; made once for each plan. */
export function planKey(plan: PipelinePlan): string {
  let key = keys.get(plan);
  if (key === undefined) keys.set(plan, (key = keyOf(plan)));
  return key;
}

/** Rows are long texts, which JSON would write out once more. */
function keyOf(plan: PipelinePlan): string {
  const { schedule } = plan;
  if (schedule.kind !== 'rows') return JSON.stringify(plan);
  const { rows, ...rest } = schedule;
  return `${JSON.stringify({ ...plan, schedule: rest })}\n${rowsText(rows)}`;
}
