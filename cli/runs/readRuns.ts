/** Files of a run, or folders that hold them → its recordings. */
import { assemble } from '../../engine/formats/kineto/assemble.ts';
import type { TraceFault } from '../../engine/formats/kineto/read.ts';
import type { RankTrace } from '../../engine/formats/kineto/rankTrace.ts';
import { headLength, runReader } from '../../engine/formats/recording/reader.ts';
import type { RunPart, RunReader } from '../../engine/formats/recording/runPart.ts';
import type { Recording } from '../../engine/values/recording.ts';
import { count, list } from '../../engine/basics/quantities.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';
import type { ByteStream } from './byteStream.ts';

export interface RunRequest {
  readonly paths: readonly string[];
  /** Steps to leave out. */
  readonly skip: number;
  /** Only these ranks. */
  readonly ranks?: ReadonlySet<number>;
  /** A file that is cut off is read as far as it is whole. */
  readonly partial: boolean;
}

export interface Runs {
  readonly recordings: readonly Recording[];
  /** What was left out, with its place. */
  readonly remarks: readonly TraceFault[];
}

/** `faults` are of the files; `problem` is of the call, one sentence. */
export type RunsRead = Runs | { readonly faults: readonly TraceFault[] } | { readonly problem: string };

export async function readRuns(request: RunRequest, io: Io): Promise<RunsRead> {
  const files = request.paths.flatMap((path) => io.filesIn(path) ?? [path]).filter(isRunFile);
  if (files.length === 0)
    return { problem: 'The folder has no trace: no file ends in .json, .json.gz, .jsonl, .csv or .log.' };
  const progress = progressBar(io, files.length * ticksPerFile);
  const traces: RankTrace[] = [];
  const recordings: Recording[] = [];
  const remarks: TraceFault[] = [];
  try {
    for (const file of files) {
      const part = await readFile(file, io, (what) => progress.tick(what));
      if ('problem' in part) return part;
      if ('recordings' in part) recordings.push(...part.recordings);
      else if ('traces' in part) traces.push(...part.traces);
      else if (request.partial && part.fault.partial !== undefined) {
        traces.push(...part.fault.partial);
        remarks.push(part.fault);
      } else return { faults: [part.fault] };
    }
  } finally {
    progress.end();
  }
  const absent = [...(request.ranks ?? [])].find(
    (rank) => traces.length > 0 && !traces.some((trace) => trace.rank === rank),
  );
  if (absent !== undefined)
    return {
      problem: `No trace is of rank ${absent}, which --ranks names. There are traces of ${ranksIn(traces)}.`,
    };
  const chosen = traces.filter(({ rank }) => request.ranks?.has(rank) !== false);
  if (chosen.length > 0) {
    const assembled = assemble(chosen);
    if ('faults' in assembled) return assembled;
    recordings.push(...assembled.recordings);
    remarks.push(...assembled.remarks);
  }
  if (recordings.length === 0) return { problem: 'No trace is of the ranks that --ranks names.' };
  const short = recordings.find(({ steps }) => request.skip > 1 && steps.length <= request.skip);
  return short === undefined
    ? { recordings, remarks }
    : { problem: `--skip ${request.skip} leaves no step: the run has ${count(short.steps.length, 'step', 'steps')}.` };
}

const ranksIn = (traces: readonly RankTrace[]): string => {
  const ranks = [...new Set(traces.map(({ rank }) => rank))].toSorted((a, b) => a - b).map(String);
  return `${ranks.length === 1 ? 'rank' : 'ranks'} ${list(ranks.length > 8 ? [...ranks.slice(0, 7), '…'] : ranks)}`;
};

const isRunFile = (path: string): boolean => path === '-' || !/\.(pipe|py|md|txt|toml|yaml)$/i.test(path);

const ticksPerFile = 100;

async function readFile(
  path: string,
  io: Io,
  tick: (what: string) => void,
): Promise<RunPart | { readonly problem: string }> {
  const name = shownPath(path);
  const stream = io.openBytes(path);
  if ('problem' in stream) return { problem: `${name} cannot be read: ${stream.problem}.` };
  try {
    const reader = await startReader(name, stream, tick);
    if (reader === undefined)
      return {
        problem: `${name} is no trace of a run: it has neither the events of a profiler nor the summary of a run.`,
      };
    return 'fault' in reader ? reader : reader.end();
  } catch (error) {
    return { problem: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

/** A reader that has taken all bytes. Its kind follows from the first of them. */
async function startReader(
  name: string,
  { chunks, size, taken }: ByteStream,
  tick: (what: string) => void,
): Promise<RunReader | { readonly fault: TraceFault } | undefined> {
  let reader: RunReader | undefined;
  let head: Uint8Array = new Uint8Array(0);
  let ticks = 0;
  for await (const chunk of chunks) {
    let next = chunk;
    if (reader === undefined) {
      const bytes: Uint8Array = new Uint8Array(head.length + chunk.length);
      bytes.set(head);
      bytes.set(chunk, head.length);
      head = bytes;
      if (head.length < headLength) continue;
      reader = runReader(name, head);
      if (reader === undefined) return undefined;
      next = head;
    }
    const fault = reader.push(next);
    if (fault !== undefined) return { fault };
    for (; ticks < (taken() / size) * ticksPerFile; ticks += 1) tick(`${name}: ${ticks} %`);
  }
  if (reader !== undefined) return reader;
  const whole = runReader(name, head);
  const fault = whole?.push(head);
  return fault === undefined ? whole : { fault };
}
