/** One file of PyTorch's profiler (Kineto), read as its bytes arrive. */
import type { Place } from './bytes.ts';
import type { LoggedRank } from '../../values/recording.ts';
import { Collector } from './collect.ts';
import { iterationsIn } from './iterations.ts';
import { rankInName } from './rankInName.ts';
import type { RankTrace } from './rankTrace.ts';
import { type ScanFault, scanner } from './scanner.ts';

export interface TraceFault extends ScanFault {
  readonly file: string;
  /** As far as the file is whole it was read. */
  readonly partial?: readonly RankTrace[];
  /** No operation is named: whole iterations are all that the trace tells. */
  readonly iterations?: LoggedRank;
  /** The traces do not say which ranks form a pipeline: the ranks of one have to be named. */
  readonly ambiguous?: true;
}

export interface TraceReader {
  push(chunk: Uint8Array): TraceFault | undefined;
  end(): readonly RankTrace[] | TraceFault;
}

/** `file` is the name as messages show it; a rank's number may be in it. */
export function traceReader(file: string): TraceReader {
  const collector = new Collector();
  const scan = scanner(collector);
  const located = (fault: ScanFault | undefined): TraceFault | undefined =>
    fault === undefined ? undefined : { ...fault, file };
  return {
    push: (chunk) => located(scan.push(chunk)),
    end() {
      const fault = scan.end();
      if (fault === undefined) return rankTraces(file, collector);
      const cutOff = fault.message.startsWith('The file ends') && collector.computing.length > 0;
      const partial = cutOff ? rankTraces(file, collector) : undefined;
      return { ...fault, file, ...(partial === undefined || 'message' in partial ? {} : { partial }) };
    },
  };
}

const top: Place = { line: 0, character: 0 };

/** A profiler writes a file for each rank. Our own trace of a simulation has all ranks, each as a process. */
function rankTraces(file: string, collector: Collector): readonly RankTrace[] | TraceFault {
  if (!isOurs(collector.headers.get('otherData'))) {
    const one = rankTrace(file, collector);
    return 'message' in one ? one : [one];
  }
  const all = collector.trace();
  const ranks = [...new Set(all.computing.map(({ process }) => process))].toSorted((a, b) => a - b);
  if (ranks.length === 0) return { ...top, file, message: noLabels };
  return ranks.map((rank) => ({
    ...all,
    file,
    rank,
    simulated: true,
    computing: all.computing.filter(({ process }) => process === rank),
    transfers: all.transfers.filter(({ process }) => process === rank),
  }));
}

const isOurs = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'producer' in data && data.producer === 'Pipewright';

function rankTrace(file: string, collector: Collector): RankTrace | TraceFault {
  const { rank, pipelineRanks } = rankOf(collector.headers.get('distributedInfo'));
  const number = rank ?? rankInName(file);
  if (number === undefined)
    return {
      ...top,
      file,
      message:
        'The trace does not say its rank: it has no "distributedInfo" with a "rank", and no number in its name. Name it like "rank3.json".',
    };
  const trace = collector.trace();
  if (trace.computing.length === 0) {
    const steps = iterationsIn(trace);
    return { ...top, file, message: noLabels, ...(steps.length === 0 ? {} : { iterations: { rank: number, steps } }) };
  }
  return { file, rank: number, ...(pipelineRanks === undefined ? {} : { pipelineRanks }), ...trace };
}

const noLabels =
  'The trace names no operation of a pipeline: no slice is called "PP:0F0". Name them in your loop: `with torch.profiler.record_function(f"PP:{stage}F{microbatch}"):` around each forward, and the same with B around each backward. docs/formats/traces.md has the lines for Megatron-LM. PyTorch’s Schedule1F1B, the default of torchtitan, names none either: run its order as a table instead ("pipewright export --to torch-csv", and pipeline_parallel_schedule_csv in torchtitan).';

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

/** Rank, and the ranks of its pipeline: the process group that torchtitan and DeviceMesh call `mesh_pp`. */
function rankOf(info: unknown): { readonly rank?: number; readonly pipelineRanks?: readonly number[] } {
  if (typeof info !== 'object' || info === null) return {};
  const rank: { readonly rank?: number } = 'rank' in info && isNumber(info.rank) ? { rank: info.rank } : {};
  const groups: unknown = 'pg_config' in info ? info.pg_config : undefined;
  for (const group of Array.isArray(groups) ? (groups as readonly unknown[]) : []) {
    if (typeof group !== 'object' || group === null) continue;
    if (!('pg_desc' in group) || group.pg_desc !== 'mesh_pp' || !('ranks' in group)) continue;
    const ranks: unknown = group.ranks;
    // A trace may list groups of other ranks too.
    if (!Array.isArray(ranks) || !ranks.every(isNumber)) continue;
    if (rank.rank === undefined || ranks.includes(rank.rank)) return { ...rank, pipelineRanks: ranks };
  }
  return rank;
}
