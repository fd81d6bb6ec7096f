/** Traces of ranks → the pipelines that ran. Ranks are never guessed to form a pipeline. */
import type { RankTrace } from './rankTrace.ts';
import { recordingOf } from './recordingOf.ts';
import { laterRun, twiceIn } from './oneRun.ts';
import type { RankRun } from './rankRun.ts';
import type { TraceFault } from './read.ts';
import { stepsOf } from './steps.ts';
import type { Recording } from '../../values/recording.ts';

/** The pipelines, each a replica of the others; and what was left out, with its place. */
export interface Assembled {
  readonly recordings: readonly Recording[];
  readonly remarks: readonly TraceFault[];
}

export function assemble(traces: readonly RankTrace[]): Assembled | { readonly faults: readonly TraceFault[] } {
  const byRank = grouped(traces, ({ rank }) => rank);
  const twice = [...byRank.values()].flatMap((files) => twiceIn(files) ?? []);
  if (twice.length > 0) return { faults: twice };
  const runs = [...byRank]
    .toSorted(([a], [b]) => a - b)
    .map(([rank, files]) => ({ rank, ...about(files[0]), ...peakOf(files), steps: stepsOf(files) }));
  const later = laterRun(runs);
  if (later !== undefined) return { faults: [later] };
  // Ranks of a pipeline as the traces say, otherwise all.
  const pipelines = grouped(runs, ({ pipelineRanks }) => pipelineRanks?.join(' ') ?? '');
  const made = [...pipelines.values()].map(recordingOf);
  const faults = made.flatMap((one) => ('faults' in one ? one.faults : []));
  if (faults.length > 0) return { faults };
  const whole = made.flatMap((one) => ('faults' in one ? [] : [one]));
  return {
    recordings: whole.map(({ recording }) => recording),
    remarks: whole.flatMap(({ remarks }) => remarks),
  };
}

const about = ({ file, pipelineRanks }: RankTrace): Pick<RankRun, 'file' | 'pipelineRanks'> => ({
  file,
  ...(pipelineRanks === undefined ? {} : { pipelineRanks }),
});

function peakOf(files: readonly RankTrace[]): Pick<RankRun, 'peakBytes'> {
  const peaks = files.flatMap(({ peakBytes }) => peakBytes ?? []);
  return peaks.length === 0 ? {} : { peakBytes: Math.max(...peaks) };
}

function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
