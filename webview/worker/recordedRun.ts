/** A recorded run next to the plan on show: its figures, and one step of it as blocks on the plan's devices. */
import { simulate } from '../../engine/simulate/simulate.ts';
import { timingOf } from '../../engine/simulate/timing.ts';
import { count } from '../../engine/basics/quantities.ts';
import { ordered, simulated } from '../../engine/flow/evaluate.ts';
import { readSummary } from '../../engine/formats/recording/readSummary.ts';
import { compareRun } from '../../engine/measured/compareRun.ts';
import { memoryBeside } from '../../engine/measured/memoryBeside.ts';
import { orderWords, replicaWords } from '../../engine/measured/runWords.ts';
import { stragglersIn } from '../../engine/measured/stragglersIn.ts';
import { lengthOf, startOf } from '../../engine/runs/measure.ts';
import { mean } from '../../engine/runs/statistics.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { type Program, wordOf } from '../../engine/values/program.ts';
import type { RecordedStep, Recording } from '../../engine/values/recording.ts';
import type { Timing } from '../../engine/values/timeline.ts';
import type { Columns } from '../picture/columns.ts';
import type { RunFigures } from '../picture/runFigures.ts';
import { columnsOf, partsOf } from './makeColumns.ts';

export interface RunBeside {
  /** The simulated operations; absent for a plan that does not run. */
  readonly upper?: Columns;
  readonly planned?: number;
  readonly plannedIdle?: number;
  readonly lower?: Columns;
  readonly result: RunFigures | { readonly reason: string };
}

/** Recordings of one text: a plan that is edited meets the same run again. */
export function recordedRun() {
  let text = '';
  let read: ReturnType<typeof readSummary> = { recordings: [] };
  let program: { readonly key: string; readonly found: ReturnType<typeof ordered> } | undefined;

  function programOf(plan: PipelinePlan): ReturnType<typeof ordered> {
    const key = JSON.stringify(plan);
    if (program?.key !== key) program = { key, found: ordered(plan) };
    return program.found;
  }

  return {
    record(next: string): void {
      if (next === text) return;
      text = next;
      read = readSummary(text);
    },
    beside(plan: PipelinePlan, replica: number): RunBeside {
      const found = programOf(plan);
      if ('faults' in found) {
        const errors = found.faults.filter(({ severity }) => severity === 'error').map(({ message }) => message);
        return { result: { reason: errors.join(' ') || 'This pipeline cannot be simulated.' } };
      }
      const timing = timingOf(plan, found.program, { freeStep: true });
      const timeline = simulate(found.program, timing);
      if (timeline === undefined) return { result: { reason: 'The operations of the plan wait for each other.' } };
      const upper = columnsOf(plan, timeline);
      const planned = Math.max(...timeline.last) - Math.min(...timeline.first);
      const plannedIdle = 1 - mean([...timeline.busy]) / planned;
      const of = { upper, planned, plannedIdle };
      if ('faults' in read) return { ...of, result: { reason: read.faults[0].message } };
      const recording = read.recordings[replica];
      if (recording === undefined) return { ...of, result: { reason: 'The run has no such pipeline.' } };
      return { ...of, ...compared(plan, found.program, timing, read.recordings, recording, of) };
    },
  };
}

function compared(
  plan: PipelinePlan,
  program: Program,
  timing: Timing,
  all: readonly Recording[],
  recording: Recording,
  { planned, plannedIdle }: { readonly planned: number; readonly plannedIdle: number },
): Pick<RunBeside, 'lower' | 'result'> {
  const comparison = compareRun(plan, program, recording, 0);
  if ('problem' in comparison)
    return { result: { reason: `The run does not match pipeline "${plan.name}": ${comparison.problem}.` } };
  const { measured, figures, drifts, ranks, simulatedIdle, shares, slowLinks, otherLinks } = comparison;
  const step = typicalStep(figures.steps, measured);
  const lower = stepColumns(plan, program, timing, step);
  return {
    lower,
    result: {
      ...{ planned, plannedIdle, measured, shares, slowLinks, otherLinks, drifts, ranks, simulatedIdle },
      steps: figures.steps.length,
      step: step.number,
      measuredIdle: 1 - mean(ranks.map(({ computing }) => computing)) / measured,
      ends: { upper: planned, lower: lower.makespan },
      stragglers: stragglersIn(plan, program, all, 0),
      memory: memoryOf(plan, recording),
      globalRanks: recording.ranks,
      order: orderWords(program, comparison),
      replicas:
        plan.data === all.length
          ? ''
          : replicaWords(
              plan.name,
              count(plan.data, 'replica', 'replicas'),
              count(all.length, 'pipeline', 'pipelines'),
            ),
    },
  };
}

/** Only what is compared is simulated to its end: a report takes longer than a timeline. */
function memoryOf(plan: PipelinePlan, recording: Recording): RunFigures['memory'] {
  if (recording.peaks === undefined) return [];
  const made = simulated(plan);
  return 'run' in made ? memoryBeside(recording, made.run.report.devices) : [];
}

/** Of the steps, the one whose length is nearest to the mean. */
const typicalStep = (steps: readonly RecordedStep[], measured: number): RecordedStep =>
  steps.reduce((best, step) =>
    Math.abs(lengthOf(step) - measured) < Math.abs(lengthOf(best) - measured) ? step : best,
  );

/** A step as blocks: what computes. Time in which an operation waits for its message is idle. */
export function stepColumns(plan: PipelinePlan, program: Program, { duration }: Timing, step: RecordedStep): Columns {
  const { shift, stages, microbatches } = program;
  const offsets = new Int32Array(step.rows.length + 1);
  for (const [device, { kind }] of step.rows.entries()) offsets[device + 1] = offsets[device] + kind.length;
  const total = offsets[step.rows.length];
  const columns = {
    start: new Float64Array(total),
    end: new Float64Array(total),
    word: new Int32Array(total),
    pair: new Uint8Array(total),
  };
  const first = startOf(step);
  for (const [device, row] of step.rows.entries())
    for (const [at, kind] of row.kind.entries()) {
      const block = offsets[device] + at;
      columns.start[block] = row.start[at] - first;
      columns.end[block] = row.end[at] - first;
      columns.word[block] = wordOf(program, kind, row.stage[at], row.microbatch[at]);
      if (at === 0 || row.fused[at - 1] !== 1) continue;
      columns.pair[block - 1] = 1;
      columns.pair[block] = 2;
      // Two operations in one slot: the later end is that of the slot.
      columns.end[block] = Math.max(columns.end[block], columns.end[block - 1]);
      columns.end[block - 1] = columns.end[block];
    }
  const fused = columns.pair.includes(1);
  return {
    rows: step.rows.length,
    offsets,
    ...{ start: columns.start, end: columns.end, word: columns.word },
    ...(fused ? { pair: columns.pair } : {}),
    parts: partsOf(plan, duration, program.apart),
    ...{ shift, stages, microbatches },
    ...(program.declared === undefined ? {} : { declared: program.declared.names }),
    makespan: columns.end.reduce((most, end) => Math.max(most, end), 0),
  };
}
