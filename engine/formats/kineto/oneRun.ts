/** Whether traces are of one run. Two runs of one plan have the same operations, and a mean over both is of neither. */
import { countBelow } from '../../basics/column.ts';
import { time } from '../../basics/quantities.ts';
import { ranksInWords } from '../../runs/ofRanks.ts';
import { atTop, type RankRun } from './rankRun.ts';
import type { RankTrace } from './rankTrace.ts';
import type { TraceFault } from './read.ts';

/** Two files of one rank that are not of one process, if there are any. */
export const twiceIn = (files: readonly RankTrace[]): TraceFault | undefined => atOnce(files) ?? stepAgain(files);

/** No process runs two steps at the same time: two of a rank's traces are one trace under two names, or of two ranks. */
function atOnce(files: readonly RankTrace[]): TraceFault | undefined {
  const spans = files.map((file) => ({ file, ...spanOf(file) })).toSorted((a, b) => Number(a.from - b.from));
  const at = spans.findIndex(({ from }, index) => index > 0 && from < spans[index - 1].to);
  if (at < 0) return undefined;
  const [{ file: before }, { file }] = [spans[at - 1], spans[at]];
  return atTop(
    file,
    `This is a trace of rank ${file.rank}, as is ${before.file}, and both ran at the same time. Either it is the same trace under two names, or one of them has a wrong rank. Name each rank once.`,
  );
}

/** A profiler that writes several files of a run numbers its steps on. */
function stepAgain(files: readonly RankTrace[]): TraceFault | undefined {
  const known = new Map<number, RankTrace>();
  for (const file of files)
    for (const number of stepsWithOperations(file)) {
      const before = known.get(number);
      if (before !== undefined && before !== file)
        return atTop(
          file,
          `This is a trace of rank ${file.rank}, as is ${before.file}, and both have step ${number}: these files are of different runs. Name the files of one run.`,
        );
      known.set(number, file);
    }
  return undefined;
}

function stepsWithOperations({ steps, computing }: RankTrace): readonly number[] {
  const starts = Float64Array.from(computing, ({ from }) => from);
  return steps.filter(({ from, to }) => countBelow(starts, to) > countBelow(starts, from)).map(({ number }) => number);
}

/** From the first operation to the end of the last: nanoseconds since 1970. */
function spanOf({ base, computing }: RankTrace): { readonly from: bigint; readonly to: bigint } {
  const at = (micros: number): bigint => base + BigInt(Math.round(micros * 1e3));
  const to = computing.reduce((most, slice) => Math.max(most, slice.to), computing[0].to);
  return { from: at(computing[0].from), to: at(to) };
}

/** Seconds by which clocks of hosts never differ, and by which ranks of one run never wait for each other in a step. */
const mostApart = 10;
/** Seconds since 1970 in 2001: a clock that says less counts from another moment, and cannot be compared. */
const leastSince1970 = 1e9;

/** Ranks that ran the same step long after the others: of another run. */
export function laterRun(runs: readonly RankRun[]): TraceFault | undefined {
  const steps = new Map<number, Span[]>();
  for (const run of runs)
    for (const { number, trace, operations } of run.steps) {
      const base = Number(trace.base) / 1e9;
      const from = base + operations[0].begin / 1e6;
      if (from < leastSince1970) continue;
      const to = base + Math.max(...operations.map(({ end }) => end)) / 1e6;
      steps.set(number, [...(steps.get(number) ?? []), { run, from, to }]);
    }
  // The last of those that most ranks have: in a first step some ranks compile while others have nothing to wait for.
  const most = Math.max(0, ...[...steps.values()].map(({ length }) => length));
  const [number, spans] = [...steps].findLast(([, { length }]) => length === most) ?? [0, []];
  const inOrder = spans.toSorted((a, b) => a.from - b.from);
  let end = Number.POSITIVE_INFINITY;
  for (const [at, { from, to }] of inOrder.entries()) {
    if (from - end > mostApart) return apart(number, inOrder.slice(0, at), inOrder.slice(at));
    end = at === 0 ? to : Math.max(end, to);
  }
  return undefined;
}

interface Span {
  readonly run: RankRun;
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

function apart(step: number, before: readonly Span[], after: readonly Span[]): TraceFault {
  const words = (spans: readonly Span[]): string => ranksInWords(spans.map(({ run }) => run.rank));
  const first = (spans: readonly Span[]): RankRun =>
    spans.reduce((least, { run }) => (run.rank < least.rank ? run : least), spans[0].run);
  return atTop(
    first(after),
    `In step ${step}, ${words(after)} ran ${time(after[0].from - before[0].from)} later than ${words(before)}, as in ${first(before).file}. These files are of different runs. Name the files of one run.`,
  );
}
