/** Timelines of StragglerAnalysis: operations and collectives of the ranks of a job on GPUs, all in one file. */
import type { Recording } from '../../values/recording.ts';
import type { Place } from '../kineto/bytes.ts';
import type { TraceFault } from '../kineto/read.ts';
import type { RunReader } from '../recording/runPart.ts';
import { type ScanFault, scanner } from '../kineto/scanner.ts';
import { recordingsOf, type TimelineEvent } from './recordings.ts';

export const isStragglerTimeline = (head: string): boolean =>
  /"cat":\s*"(forward|backward)-compute"/.test(head) && /"mb_id":/.test(head) && /"model_chunk":/.test(head);

const mostEvents = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const whole = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? value : undefined;

export function stragglerReader(file: string): RunReader {
  const events: TimelineEvent[] = [];
  const threads = new Map<string, number>();
  const scan = scanner({
    wants: () => true,
    header: () => {},
    event: (value, place) => take(fieldsOf(value), place),
  });

  function take(event: Fields, place: Place): ScanFault | undefined {
    const args = fieldsOf(event['args']);
    const [pid, tid] = [whole(event['pid']), whole(event['tid'])];
    if (event['name'] === 'thread_name') {
      const [, rank, tensor] = /^PP rank (\d{1,6}), TP rank (\d{1,6}),/.exec(String(args['name'])) ?? [];
      // Ranks of one stage do the same.
      if (rank !== undefined && tensor === '0') threads.set(`${pid} ${tid}`, Number(rank));
      return undefined;
    }
    if (event['ph'] !== 'X') return undefined;
    const { ts, dur, cat } = event;
    if (typeof ts !== 'number' || typeof dur !== 'number' || !Number.isFinite(ts) || !(dur >= 0))
      return { ...place, message: 'This event needs "ts" and a "dur" of at least 0 µs.' };
    const step = whole(args['step']);
    if (step === undefined || pid === undefined || typeof cat !== 'string')
      return { ...place, message: 'This event needs "pid", "cat", and the "step" in its "args".' };
    if (events.length >= mostEvents) return { ...place, message: `The timeline has more than ${mostEvents} events.` };
    const numbers = { chunk: whole(args['model_chunk']) ?? -1, sequence: whole(args['seq_id']) ?? -1 };
    events.push({
      category: cat,
      replica: pid,
      thread: `${pid} ${tid}`,
      step,
      from: ts,
      to: ts + dur,
      ...numbers,
      microbatch: whole(args['mb_id']) ?? -1,
      place,
    });
    return undefined;
  }

  const located = (fault: ScanFault | undefined): TraceFault | undefined =>
    fault === undefined ? undefined : { ...fault, file };
  return {
    push: (chunk) => located(scan.push(chunk)),
    end() {
      const fault = located(scan.end());
      if (fault !== undefined) return { fault };
      const made: readonly Recording[] | ScanFault = recordingsOf(events, threads);
      return 'message' in made ? { fault: { ...made, file } } : { recordings: made };
    },
  };
}
