/**
 * A recording as a small file: times by operation and step, without a name, a host or a path of the trace. Times are whole nanoseconds,
 * each from the one before it, which keeps the file short.
 */
import { letters } from '../../values/program.ts';
import type { RecordedCall, RecordedRow, RecordedStep, Recording } from '../../values/recording.ts';

/** Most characters of a summary. */
export const mostSummaryLength = 1_000_000;
export const version = 1;

/** The newest steps that fit into about `most` characters; `left` counts the others. */
export function summaryOf(
  recordings: readonly Recording[],
  most = mostSummaryLength,
): { readonly text: string; readonly left: number } {
  const each = (most - 1000) / recordings.length;
  let left = 0;
  const pipelines = recordings.map((recording) => {
    const head = headOf(recording);
    let length = JSON.stringify(head).length + 20;
    const steps: object[] = [];
    for (const step of recording.steps.toReversed()) {
      const packed = packedStep(step);
      length += JSON.stringify(packed).length + 1;
      // One step is kept, whatever its size.
      if (length > each && steps.length > 0) break;
      steps.unshift(packed);
    }
    left += recording.steps.length - steps.length;
    return { ...head, steps };
  });
  return { text: `${JSON.stringify({ pipewright: 'run', version, pipelines })}\n`, left };
}

const headOf = ({ ranks, stages, microbatches, placement, device, clocks, peaks }: Recording): object => ({
  ranks,
  stages,
  microbatches,
  placement: [...placement],
  device,
  ...(peaks === undefined ? {} : { peaks: [...peaks].map((bytes) => (Number.isNaN(bytes) ? null : bytes)) }),
  clocks: { offset: [...clocks.offset].map(nanoseconds), slack: [...clocks.slack].map(nanoseconds) },
});

const packedStep = ({ number, rows, optimizer, between, before, after }: RecordedStep): object => ({
  number,
  optimizer: [...optimizer].map(nanoseconds),
  between: [...between].map(nanoseconds),
  rows: rows.map(packedRow),
  ...(before === undefined ? {} : { before: before.map(packedCall) }),
  ...(after === undefined ? {} : { after: after.map(packedCall) }),
});

const packedCall = ({ name, together, seconds }: RecordedCall): object => ({
  name,
  together,
  seconds: [...seconds].map(nanoseconds),
});

/** JSON has neither NaN nor infinity: unknown is null. */
const nanoseconds = (seconds: number): number | null => (Number.isFinite(seconds) ? Math.round(seconds * 1e9) : null);

/** `begin` from the end before, `start` from `begin`, `end` and `work` as lengths, messages from `begin` and `end`. */
function packedRow(row: RecordedRow): object {
  const at = (times: Float64Array, index: number): number => Math.round(times[index] * 1e9);
  const columns = { begin: [], wait: [], length: [], work: [], posted: [], arrived: [] } as Record<
    string,
    (number | null)[]
  >;
  const names: string[] = [];
  let before = 0;
  for (let index = 0; index < row.kind.length; index += 1) {
    const [begin, start, end] = [at(row.begin, index), at(row.start, index), at(row.end, index)];
    const work = nanoseconds(row.work[index]);
    const [posted, arrived] = [nanoseconds(row.posted[index]), nanoseconds(row.arrived[index])];
    names.push(
      `${row.stage[index]}${letters[row.kind[index]]}${row.microbatch[index]}${row.fused[index] === 1 ? '+' : ''}`,
    );
    columns['begin'].push(begin - before);
    columns['wait'].push(start - begin);
    columns['length'].push(end - start);
    columns['work'].push(work === null ? null : end - start - work);
    columns['posted'].push(posted === null ? null : posted - end);
    columns['arrived'].push(arrived === null ? null : arrived - begin);
    before = end;
  }
  const same = columns['work'].every((rest) => rest === 0);
  const { work, ...others } = columns;
  return { operations: names.join(' '), ...others, ...(same ? {} : { work }) };
}
