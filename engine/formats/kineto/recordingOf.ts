/** The ranks of one pipeline → its recording. */
import { count, numbered } from '../../basics/quantities.ts';
import { aligned } from '../../runs/clocks.ts';
import type { Recording, RecordedStep } from '../../values/recording.ts';
import { atTop, type RankRun } from './rankRun.ts';
import type { TraceFault } from './read.ts';
import { recordedRow } from './recordedRow.ts';
import type { RankTrace } from './rankTrace.ts';
import { shapeOf } from './shape.ts';
import type { RankStep } from './steps.ts';
import { type StepOfRanks, stepsOfRanks } from './wholeSteps.ts';

export type RecordingOf =
  | { readonly recording: Recording; readonly remarks: readonly TraceFault[] }
  | { readonly faults: readonly TraceFault[] };

export function recordingOf(runs: readonly RankRun[]): RecordingOf {
  const named = runs[0].pipelineRanks ?? [];
  const missing = named.filter((rank) => runs.every((run) => run.rank !== rank));
  if (missing.length > 0)
    return {
      faults: [
        atTop(
          runs[0],
          `The pipeline has ${count(named.length, 'rank', 'ranks')}, but there is no trace of ${numbered(missing, 'rank', 'ranks')}. Name the files of all of them.`,
        ),
      ],
    };
  const shape = shapeOf(runs);
  if ('faults' in shape) return shape;
  const { whole, broken } = stepsOfRanks(runs, shape);
  if (whole.length === 0) return { faults: broken.slice(0, 20) };
  const recording: Recording = {
    ranks: runs.map(({ rank }) => rank),
    stages: shape.stages,
    microbatches: shape.microbatches,
    placement: shape.placement,
    steps: recordedSteps(whole),
    clocks: { offset: new Float64Array(runs.length), slack: new Float64Array(runs.length).fill(Infinity) },
    ...(runs.some(({ peakBytes }) => peakBytes !== undefined)
      ? { peaks: Float64Array.from(runs, ({ peakBytes }) => peakBytes ?? Number.NaN) }
      : {}),
    device: runs.some(({ steps }) => steps.some(({ trace }) => trace.device !== undefined)),
  };
  return { recording: aligned(recording), remarks: broken };
}

/** Times become seconds from the earliest operation of all ranks: microseconds since 1970 are too long for their last digits. */
function recordedSteps(whole: readonly StepOfRanks[]): readonly RecordedStep[] {
  const traces = whole.flatMap(({ ranks }) => ranks.map(({ trace }) => trace));
  const base = traces.reduce((least, trace) => (trace.base < least ? trace.base : least), traces[0].base);
  const shift = ({ base: own }: { readonly base: bigint }): number => Number(own - base) / 1e3;
  const first = Math.min(...whole[0].ranks.map(({ trace, operations }) => operations[0].begin + shift(trace)));
  const seconds = (trace: { readonly base: bigint }) => {
    const by = shift(trace) - first;
    return (micros: number): number => (micros + by) / 1e6;
  };
  return whole.map(({ number, ranks }, at) => ({
    number,
    rows: ranks.map(({ operations, trace }) => recordedRow(turned(operations, trace, ranks), seconds(trace))),
    optimizer: Float64Array.from(ranks, ({ optimizer }) => optimizer / 1e6),
    between: Float64Array.from(ranks, ({ operations, trace }, rank) => {
      const next = whole[at + 1]?.number === number + 1 ? whole[at + 1].ranks[rank] : undefined;
      const last = Math.max(...operations.map(({ end }) => end));
      return next === undefined ? Number.NaN : seconds(next.trace)(next.operations[0].begin) - seconds(trace)(last);
    }),
  }));
}

/** A simulated device turns to its first operation at once: until its message is there it waits, and there is no host. */
function turned(operations: RankStep['operations'], { simulated }: RankTrace, ranks: readonly RankStep[]) {
  if (simulated !== true) return operations;
  const begin = Math.min(...ranks.map((rank) => rank.operations[0].begin));
  return operations.map((operation, at) => (at === 0 ? { ...operation, begin } : operation));
}
