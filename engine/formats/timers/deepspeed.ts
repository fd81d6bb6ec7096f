/**
 * Timers that DeepSpeed prints with `wall_clock_breakdown`: milliseconds of rank 0. Its pipeline engine prints the sum of all microbatches
 * of the steps since its last print; its engine without a pipeline prints each microbatch.
 */
import { count } from '../../basics/quantities.ts';
import { ofRanks } from '../../runs/ofRanks.ts';
import type { TextFault } from '../fault.ts';
import { linesOf } from '../lines.ts';
import { argument } from './argument.ts';
import { pipeOfTimers } from './toPipe.ts';

export const isDeepspeedTimers = (text: string): boolean => /time \(ms\) \|.*\b(fwd|forward)_microstep: \d/.test(text);

type PipeOfTimers =
  { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] };

/** `named`: only rank 0 is in the log, so no other rank can be named. */
export function pipeOfDeepspeedTimers(text: string, named?: ReadonlySet<number>): PipeOfTimers {
  const log = logOf(text);
  const fault = (message: string, start = 0, end = 1): PipeOfTimers => ({ faults: [{ start, end, message }] });
  const [first] = log.micro;
  if (first === undefined) return fault('The log has no line with "fwd_microstep" and "bwd_microstep".');
  const chosen = ofRanks([{ ranks: [0] }], named);
  if ('problem' in chosen) return fault(chosen.problem);
  const source = 'timers of DeepSpeed';
  if (log.prints.length === 0 && log.eachMicrobatch) {
    const { forward, backward } = sumOf(log.micro);
    return pipeOfTimers({
      source,
      stages: [{ forward: forward / log.micro.length, backward: backward / log.micro.length }],
      iteration: undefined,
      microbatches: 'one',
      remarks: [
        'The engine without a pipeline printed these timers, a line for each microbatch: the layer is all that rank 0 computes.',
        'The backward has the reduction of the gradients in it (`bwd_allreduce_microstep`).',
      ],
    });
  }
  const perPrint = argument(text, 'steps_per_print');
  const accumulated = argument(text, 'gradient_accumulation_steps');
  // With one microbatch a step, the engine without a pipeline prints the same lines, and no sums.
  const mayBeWhole = (accumulated ?? 1) === 1 && !/\bpipe_\w+: \d/.test(text);
  if (log.prints.length === 0 && (perPrint ?? 1) > 1 && mayBeWhole) return fault(eitherEngine, first.start, first.end);
  const sums = perPrint === undefined || log.prints.length > 0 ? ofPrints(log, perPrint) : ofEach(log, perPrint);
  if (sums.steps === 0) return fault(withoutSteps, first.start, first.end);
  const microbatches = accumulated ?? Number(/CONFIG: micro_batches=(\d{1,9})/.exec(text)?.[1] ?? Number.NaN);
  return pipeOfTimers({
    source,
    stages: [{ forward: sums.forward / sums.steps, backward: sums.backward / sums.steps }],
    iteration:
      log.prints.length === 0
        ? undefined
        : log.prints.reduce((sum, { iteration }) => sum + iteration, 0) / log.prints.length,
    microbatches: microbatches >= 1 ? { count: microbatches, known: true } : undefined,
    remarks: [
      'DeepSpeed prints the timers of rank 0 alone: this is the first stage, and the log does not have the others.',
      `The timers are sums over ${count(sums.steps, 'step', 'steps')}: ${sums.from}.`,
    ],
  });
}

const eitherEngine =
  'These timers are sums of several steps if they are of a pipeline, and of one microbatch if not. The log does not say which: keep its lines "steps: 10 loss: …" and "pipe_send_output".';

const withoutSteps =
  'These timers are sums over the steps since the last print, and the log does not say how many: keep the lines "steps: 10 loss: …" in it, or the line "steps_per_print .... 10" that DeepSpeed prints at the beginning.';

interface Micro {
  readonly forward: number;
  readonly backward: number;
  readonly start: number;
  readonly end: number;
}

interface Log {
  readonly micro: readonly Micro[];
  /** Lines `steps: 10 loss: … iter time (s): …`, which only the pipeline engine prints, and the timers before each. */
  readonly prints: readonly { readonly step: number; readonly iteration: number; readonly micro: readonly Micro[] }[];
  /** Timers after the last of these lines. */
  readonly after: readonly Micro[];
  /** A step has several lines of microbatches, as only the engine without a pipeline prints. */
  readonly eachMicrobatch: boolean;
}

function logOf(text: string): Log {
  const micro: Micro[] = [];
  const prints: { step: number; iteration: number; micro: readonly Micro[] }[] = [];
  let after: Micro[] = [];
  let sinceStep = 0;
  let eachMicrobatch = false;
  for (const { text: line, start } of linesOf(text)) {
    const print = /\bsteps?: *(\d{1,12})\b.*\biter time \(s\): (\d+(?:\.\d+)?)/.exec(line);
    if (print !== null) {
      prints.push({ step: Number(print[1]), iteration: Number(print[2]) * 1e3, micro: after });
      after = [];
    }
    if (/\| (?:fwd|forward): \d/.test(line)) {
      eachMicrobatch ||= sinceStep > 1;
      sinceStep = 0;
    }
    const forward = /\b(?:fwd|forward)_microstep: (\d+(?:\.\d+)?)/.exec(line);
    const backward = /\b(?:bwd|backward)_microstep: (\d+(?:\.\d+)?)/.exec(line);
    if (forward === null || backward === null) continue;
    sinceStep += 1;
    const end = start + line.trimEnd().length;
    const one: Micro = { forward: Number(forward[1]), backward: Number(backward[1]), start, end };
    micro.push(one);
    after.push(one);
  }
  return { micro, prints, after, eachMicrobatch };
}

const sumOf = (micro: readonly Micro[]): { readonly forward: number; readonly backward: number } => ({
  forward: micro.reduce((sum, { forward }) => sum + forward, 0),
  backward: micro.reduce((sum, { backward }) => sum + backward, 0),
});

interface Sums {
  readonly forward: number;
  readonly backward: number;
  readonly steps: number;
  /** The part of the log that says how many steps. */
  readonly from: string;
}

const ofEach = ({ micro }: Log, perPrint: number): Sums => ({
  ...sumOf(micro),
  steps: perPrint * micro.length,
  from: `steps_per_print is ${perPrint}`,
});

function ofPrints({ prints, after }: Log, perPrint: number | undefined): Sums {
  // Timers come before the line of their steps. Where an excerpt begins with that line, they are taken to follow it.
  const follow = prints.length > 0 && prints[0].micro.length === 0 && after.length > 0;
  const groups = prints.map(({ micro }, at) => (follow ? (prints[at + 1]?.micro ?? after) : micro));
  const next = prints.length > 1 ? prints[1].step - prints[0].step : undefined;
  const stepsOf = (at: number): number => {
    if (at > 0) return prints[at].step - prints[at - 1].step;
    const most = perPrint ?? next ?? prints[0].step;
    // A run that began at a later step, or a log without its beginning: only `steps_per_print` could say how many.
    return prints[0].step <= most ? prints[0].step : (perPrint ?? 0);
  };
  let [forward, backward, steps] = [0, 0, 0];
  const used: number[] = [];
  for (const [at, group] of groups.entries()) {
    // Steps go back where a run began anew.
    if (group.length === 0 || stepsOf(at) <= 0) continue;
    const sum = sumOf(group);
    forward += sum.forward;
    backward += sum.backward;
    steps += stepsOf(at);
    used.push(prints[at].step);
  }
  const from = used.length > 1 ? `the log has steps ${used[0]} to ${used.at(-1)}` : `the log has step ${used[0]}`;
  return { forward, backward, steps, from };
}
