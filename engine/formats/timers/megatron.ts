/**
 * Timers that Megatron-LM prints (`--timing-log-level 2 --timing-log-option all`): milliseconds of each rank for all forwards and all
 * backwards of an iteration.
 */
import type { TextFault } from '../fault.ts';
import { linesOf } from '../lines.ts';
import { pipeOfTimers, type TimerTimes } from './toPipe.ts';

export const isMegatronTimers = (text: string): boolean =>
  /^\s*(\(min, max\) time|max time|times) across ranks \(ms\):/m.test(text);

type PipeOfTimers =
  { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] };

export function pipeOfMegatronTimers(text: string): PipeOfTimers {
  const sums = new Map<number, { forward: number; backward: number; forwards: number; backwards: number }>();
  const iterations: number[] = [];
  let timer = '';
  let unnamed: TextFault | undefined;
  for (const { text: line, start } of linesOf(text)) {
    const elapsed = /elapsed time per iteration \(ms\): (\d+(?:\.\d+)?)/.exec(line);
    if (elapsed !== null) iterations.push(Number(elapsed[1]));
    if (/^\s*(\(min, max\) time|max time) across ranks \(ms\):/.test(line))
      unnamed ??= { start, end: start + line.trimEnd().length, message: withoutRanks };
    const name = /^\s{0,8}([a-z][a-z0-9-]*):\s*$/.exec(line);
    if (name !== null) timer = name[1];
    const [, rankText, value] = /^\s*rank\s+(\d{1,7}):\s+(\d+(?:\.\d+)?)\s*$/.exec(line) ?? [];
    if (rankText === undefined || (timer !== 'forward-compute' && timer !== 'backward-compute')) continue;
    const rank = sums.get(Number(rankText)) ?? { forward: 0, backward: 0, forwards: 0, backwards: 0 };
    sums.set(Number(rankText), rank);
    if (timer === 'forward-compute') {
      rank.forward += Number(value);
      rank.forwards += 1;
    } else {
      rank.backward += Number(value);
      rank.backwards += 1;
    }
  }
  if (unnamed !== undefined) return { faults: [unnamed] };
  const ranks = [...sums].toSorted(([a], [b]) => a - b);
  if (ranks.length === 0 || ranks.some(([, { forwards, backwards }]) => forwards === 0 || backwards === 0))
    return {
      faults: [
        {
          start: 0,
          end: 1,
          message:
            'The log has no "forward-compute" and "backward-compute" of each rank: run with --timing-log-level 2.',
        },
      ],
    };
  const stages = stagesOf(
    ranks.map(([, { forward, backward, forwards, backwards }]) => ({
      forward: forward / forwards,
      backward: backward / backwards,
    })),
    argument(text, 'pipeline_model_parallel_size'),
  );
  if ('message' in stages) return { faults: [{ start: 0, end: 1, message: stages.message }] };
  return pipeOfTimers({
    source: 'timers of Megatron-LM',
    stages: stages.times,
    iteration:
      iterations.length === 0 ? undefined : iterations.reduce((sum, each) => sum + each, 0) / iterations.length,
    microbatches: microbatchesOf(text),
    remarks: [
      ...stages.remarks,
      'Timers start and stop with the device: they make the iteration longer. Take its time from a run with --timing-log-level 0.',
    ],
  });
}

const withoutRanks =
  'This log has the least and most of all ranks, and names none, so no stage has a time. Run with --timing-log-option all.';

/** An argument of Megatron's list at the beginning of the log: `micro_batch_size ........ 1`. */
function argument(text: string, name: string): number | undefined {
  const digits = new RegExp(`^.{0,40}\\b${name} \\.+ (\\d{1,9})\\s*$`, 'm').exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function microbatchesOf(text: string): { readonly count: number; readonly known: boolean } | undefined {
  const [micro, data] = [argument(text, 'micro_batch_size'), argument(text, 'data_parallel_size')];
  const global =
    argument(text, 'global_batch_size') ?? Number(/global batch size:\s*(\d{1,9})/.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isFinite(global) || global < 1) return undefined;
  const known = micro !== undefined && data !== undefined && micro > 0 && data > 0;
  return { count: known ? Math.max(1, Math.round(global / micro / data)) : global, known };
}

type Times = TimerTimes['stages'];

/** Megatron's pipeline ranks are the outermost: ranks of a stage follow each other. */
function stagesOf(
  ranks: Times,
  pipeline: number | undefined,
): { readonly times: Times; readonly remarks: readonly string[] } | { readonly message: string } {
  if (pipeline === undefined)
    return {
      times: ranks,
      remarks: ['The log does not say how many pipeline ranks there are: each rank is taken as a stage.'],
    };
  if (pipeline < 1 || ranks.length % pipeline !== 0)
    return {
      message: `The log has times of ${ranks.length} ranks, which are not equally many for each of ${pipeline} pipeline ranks.`,
    };
  const each = ranks.length / pipeline;
  const of = (stage: number, key: 'forward' | 'backward'): number =>
    ranks.slice(stage * each, (stage + 1) * each).reduce((sum, rank) => sum + rank[key], 0) / each;
  return {
    times: Array.from({ length: pipeline }, (_, stage) => ({
      forward: of(stage, 'forward'),
      backward: of(stage, 'backward'),
    })),
    remarks: each === 1 ? [] : [`A stage has the mean time of its ${each} ranks.`],
  };
}
