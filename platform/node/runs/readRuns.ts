/** Files of a run, or folders that hold them → its recordings. */
import { relative } from 'node:path';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import type { TraceFault } from '../../../engine/formats/kineto/read.ts';
import type { RankTrace } from '../../../engine/formats/kineto/rankTrace.ts';
import { headLength, runReader } from '../../../engine/formats/recording/reader.ts';
import type { RunPart, RunReader } from '../../../engine/formats/recording/runPart.ts';
import { loggedRun } from '../../../engine/runs/logged.ts';
import { ofRanks } from '../../../engine/runs/ofRanks.ts';
import type { LoggedRank, LoggedRun, Recording } from '../../../engine/values/recording.ts';
import { count, list } from '../../../engine/basics/quantities.ts';
import type { RunAsked } from '../../common/runs.ts';
import { type ByteStream, CutOff } from './byteStream.ts';

/** The disk, as far as runs lie on it. */
export interface RunFiles {
  /** Bytes of a file as they are read, decompressed where it is compressed with gzip. */
  openBytes(path: string): ByteStream | { readonly problem: string };
  /** Paths of the files in a folder and below, in order; undefined for what is no folder. */
  filesIn(path: string): readonly string[] | undefined;
}

/** How far the reading is: `what` of the files is read, of which there are `total` ticks. */
export interface RunProgress {
  tick(what: string): void;
  end(): void;
}

export interface RunRequest extends RunAsked {
  /** How messages name a file. */
  shown(path: string): string;
}

export interface Runs {
  /** None of a run that was only logged. */
  readonly recordings: readonly Recording[];
  /** Whole iterations, if logs say them. */
  readonly logged?: LoggedRun;
  /** Why traces tell no more than whole iterations. */
  readonly unlabelled?: TraceFault;
  /** What was left out, with its place. */
  readonly remarks: readonly TraceFault[];
  /** Files of a folder that are no traces, in one sentence. */
  readonly skipped?: string;
}

/** `faults` are of the files; `problem` is of the call, one sentence. */
export type RunsRead =
  Runs | { readonly faults: readonly TraceFault[]; readonly skipped?: string } | { readonly problem: string };

export async function readRuns(
  request: RunRequest,
  disk: RunFiles,
  progressOf: (ticks: number) => RunProgress,
): Promise<RunsRead> {
  const files = request.paths.flatMap((path): readonly Named[] => {
    const within = disk.filesIn(path);
    return within === undefined ? [{ path }] : within.map((file) => ({ path: file, folder: path }));
  });
  const progress = progressOf(files.length * ticksPerFile);
  const ran: Ran[] = [];
  const remarks: TraceFault[] = [];
  const others: Named[] = [];
  const skipped = (): Pick<Runs, 'skipped'> => (others.length === 0 ? {} : { skipped: skippedFiles(others) });
  try {
    for (const file of files) {
      const name = request.shown(file.path);
      const part = await readFile(file.path, name, disk, (what) => progress.tick(what));
      if (part === undefined) {
        if (file.folder === undefined) return { faults: [noRun(name)] };
        others.push(file);
      } else if ('problem' in part) return part;
      else if (request.partial && 'fault' in part && part.fault.partial !== undefined) {
        ran.push(...part.fault.partial.map(ofTrace));
        remarks.push(part.fault);
      } else if ('fault' in part) return { faults: [part.fault], ...skipped() };
      else ran.push(...ranIn(part));
    }
  } finally {
    progress.end();
  }
  const empty = request.paths.find(
    (path) => disk.filesIn(path) !== undefined && files.every((file) => file.folder !== path || others.includes(file)),
  );
  if (empty !== undefined)
    return { problem: withoutRun(request.shown(empty), others.filter(({ folder }) => folder === empty).length) };
  const chosen = ofRanks(ran, request.ranks);
  if ('problem' in chosen) return chosen;
  const recordings = chosen.flatMap(({ recording }) => recording ?? []);
  const traces = chosen.flatMap(({ trace }) => trace ?? []);
  const logs = chosen.flatMap(({ logged }) => logged ?? []);
  const unlabelled = chosen.find((each) => each.unlabelled !== undefined)?.unlabelled;
  // Without the operations of one rank, those of the others are another pipeline.
  if (unlabelled !== undefined && traces.length + recordings.length > 0) return { faults: [unlabelled], ...skipped() };
  if (traces.length > 0) {
    const assembled = assemble(traces);
    if ('faults' in assembled) return { ...assembled, ...skipped() };
    recordings.push(...assembled.recordings);
    remarks.push(...assembled.remarks);
  }
  const short = recordings.find(({ steps }) => request.skip > 1 && steps.length <= request.skip);
  if (short !== undefined)
    return {
      problem: `--skip ${request.skip} leaves no step: the run has ${count(short.steps.length, 'step', 'steps')}.`,
    };
  return {
    recordings,
    remarks,
    ...(logs.length === 0 ? {} : { logged: loggedRun(logs) }),
    ...(unlabelled === undefined ? {} : { unlabelled }),
    ...skipped(),
  };
}

interface Named {
  readonly path: string;
  /** The named folder that it lies in; a file that was named itself has none. */
  readonly folder?: string;
}

/** A part of what ran. A trace of a rank may not say which ranks form its pipeline. */
interface Ran {
  readonly ranks: readonly number[];
  readonly trace?: RankTrace;
  readonly recording?: Recording;
  readonly logged?: LoggedRank;
  readonly unlabelled?: TraceFault;
}

const ofTrace = (trace: RankTrace): Ran => ({ ranks: trace.pipelineRanks ?? [trace.rank], trace });

function ranIn(part: Exclude<RunPart, { readonly fault: TraceFault }>): readonly Ran[] {
  if ('traces' in part) return part.traces.map(ofTrace);
  if ('logged' in part) {
    const { logged, unlabelled } = part;
    return [{ ranks: [logged.rank], logged, ...(unlabelled === undefined ? {} : { unlabelled }) }];
  }
  return part.recordings.map((recording) => ({ ranks: recording.ranks, recording }));
}

const kindsOfRun = 'the events of a profiler, a timeline, a log of steps or the summary of a run';

const noRun = (file: string): TraceFault => ({
  file,
  line: 0,
  character: 0,
  message: `This is no trace of a run: it does not have ${kindsOfRun}.`,
});

function withoutRun(folder: string, files: number): string {
  if (files === 0) return `${folder} is a folder without files.`;
  const none = files === 1 ? 'its only file does not have' : `none of its ${files} files has`;
  return `${folder} has no trace of a run: ${none} ${kindsOfRun}.`;
}

/** Most files that are named. */
const mostSkipped = 5;

/** Folders of traces hold other files too: a licence, a plan, a table of results. */
function skippedFiles(files: readonly Named[]): string {
  const more = files.length - mostSkipped;
  const names = files.map(({ path, folder = '' }) => relative(folder, path));
  const shown = files.length <= mostSkipped + 1 ? names : [...names.slice(0, mostSkipped), `${more} more`];
  return `Skipped, because ${files.length === 1 ? 'it is no trace of a run' : 'they are no traces of a run'}: ${list(shown)}.`;
}

const ticksPerFile = 100;

/** Undefined: the file is no run. */
async function readFile(
  path: string,
  name: string,
  disk: RunFiles,
  tick: (what: string) => void,
): Promise<RunPart | { readonly problem: string } | undefined> {
  const stream = disk.openBytes(path);
  if ('problem' in stream) return { problem: `${name} cannot be read: ${stream.problem}.` };
  const started: Started = {};
  try {
    const reader = await startReader(name, stream, tick, started);
    if (reader === undefined) return undefined;
    return 'fault' in reader ? reader : reader.end();
  } catch (error) {
    const cut = error instanceof CutOff ? (started.reader ?? readerOf(name, started.head)) : undefined;
    if (cut !== undefined) return cutOff(name, 'fault' in cut ? cut : cut.end());
    return { problem: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

interface Started {
  reader?: RunReader;
  /** Its first bytes, while they do not tell what it is. */
  head?: Uint8Array;
}

/** A reader of a file that has no more than these bytes. */
function readerOf(name: string, head: Uint8Array = new Uint8Array(0)) {
  const reader = runReader(name, head);
  const fault = reader?.push(head);
  return fault === undefined ? reader : { fault };
}

/** A compressed file that is cut off, and what was read of it. */
function cutOff(file: string, rest: RunPart): RunPart {
  const message = 'The file is compressed, and cut off.';
  if ('fault' in rest) return { fault: { ...rest.fault, message } };
  const partial = 'traces' in rest ? { partial: rest.traces } : {};
  return { fault: { file, line: 0, character: 0, message, ...partial } };
}

/** A reader that has taken all bytes. Its kind follows from the first of them. */
async function startReader(
  name: string,
  { chunks, size, taken }: ByteStream,
  tick: (what: string) => void,
  started: Started,
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
      started.head = head;
      if (head.length < headLength) continue;
      reader = runReader(name, head);
      if (reader === undefined) return undefined;
      started.reader = reader;
      next = head;
    }
    const fault = reader.push(next);
    if (fault !== undefined) return { fault };
    for (; ticks < (taken() / size) * ticksPerFile; ticks += 1) tick(`${name}: ${ticks} %`);
  }
  if (reader !== undefined) return reader;
  return readerOf(name, head);
}
