/**
 * Timers that Megatron-LM prints (`--timing-log-level 2 --timing-log-option all`): milliseconds of each rank for all forwards and all
 * backwards of an iteration.
 */
import { ofRanks } from '../../runs/ofRanks.ts';
import type { TextFault } from '../fault.ts';
import { linesOf } from '../lines.ts';
import { argument } from './argument.ts';
import { prefixOf } from './prefix.ts';
import { pipeOfTimers, type TimerTimes } from './toPipe.ts';

/** Current versions print through a logger, and launchers write the process before each line: neither is part of the form. */
const heading = /^(.{0,200}?)(?:(times)|\(min, max\) time|max time) across ranks \(ms\):[ \t\r]*$/m;

export const isMegatronTimers = (text: string): boolean => heading.test(text);

type PipeOfTimers =
  { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] };

/** `named`: only the pipelines of these ranks. */
export function pipeOfMegatronTimers(text: string, named?: ReadonlySet<number>): PipeOfTimers {
  const sums = new Map<number, { forward: number; backward: number; forwards: number; backwards: number }>();
  const iterations: number[] = [];
  const prefix = prefixOf(heading.exec(text)?.[1] ?? '');
  // Lines of several processes may alternate.
  const timers = new Map<string, string>();
  let unnamed: TextFault | undefined;
  for (const { text: whole, start } of linesOf(text)) {
    const { process, text: line } = prefix(whole);
    const elapsed = /elapsed time per iteration \(ms\): (\d+(?:\.\d+)?)/.exec(line);
    if (elapsed !== null) iterations.push(Number(elapsed[1]));
    const begins = heading.exec(line);
    if (begins !== null && begins[2] === undefined)
      unnamed ??= { start, end: start + whole.trimEnd().length, message: withoutRanks };
    const name = /^\s{0,8}([a-z][a-z0-9-]*):\s*$/.exec(line);
    if (name !== null) timers.set(process, name[1]);
    const timer = timers.get(process);
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
    ranks.map(([rank, { forward, backward, forwards, backwards }]) => ({
      rank,
      forward: forward / forwards,
      backward: backward / backwards,
    })),
    argument(text, 'pipeline_model_parallel_size'),
    named,
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
  'This log has only the least and the most time of all ranks, so no stage has a time. Run with --timing-log-option all.';

function microbatchesOf(text: string): { readonly count: number; readonly known: boolean } | undefined {
  const [micro, data] = [argument(text, 'micro_batch_size'), argument(text, 'data_parallel_size')];
  const global =
    argument(text, 'global_batch_size') ?? Number(/global batch size:\s*(\d{1,9})/.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isFinite(global) || global < 1) return undefined;
  const known = micro !== undefined && data !== undefined && micro > 0 && data > 0;
  return { count: known ? Math.max(1, Math.round(global / micro / data)) : global, known };
}

interface RankTimes {
  readonly rank: number;
  readonly forward: number;
  readonly backward: number;
}

/** Megatron's pipeline ranks are the outermost: ranks of a stage follow each other. */
function stagesOf(
  times: readonly RankTimes[],
  size: number | undefined,
  named: ReadonlySet<number> | undefined,
): { readonly times: TimerTimes['stages']; readonly remarks: readonly string[] } | { readonly message: string } {
  if (size !== undefined && (size < 1 || times.length % size !== 0))
    return {
      message: `The log has times of ${times.length} ranks, which is not a multiple of ${size} pipeline ranks.`,
    };
  // Without the size, a rank is all that is known of its pipeline.
  const each = times.length / (size ?? 1);
  const pipelines = Array.from({ length: each }, (_, first) => {
    const own = times.filter((__, at) => at % each === first);
    return { own, ranks: own.map(({ rank }) => rank) };
  });
  const chosen = ofRanks(pipelines, named);
  if ('problem' in chosen) return { message: chosen.problem };
  if (size === undefined)
    return {
      times: chosen.flatMap(({ own }) => own),
      remarks: ['The log does not say how many pipeline ranks there are: each rank is taken as a stage.'],
    };
  const of = (stage: number, key: 'forward' | 'backward'): number =>
    chosen.reduce((sum, { own }) => sum + own[stage][key], 0) / chosen.length;
  return {
    times: Array.from({ length: size }, (_, stage) => ({
      forward: of(stage, 'forward'),
      backward: of(stage, 'backward'),
    })),
    remarks: chosen.length === 1 ? [] : [`A stage has the mean time of its ${chosen.length} ranks.`],
  };
}
