/** Timers that DeepSpeed prints with `wall_clock_breakdown`: milliseconds of rank 0 for all forwards and all backwards of a step. */
import type { TextFault } from '../fault.ts';
import { linesOf } from '../lines.ts';
import { pipeOfTimers } from './toPipe.ts';

export const isDeepspeedTimers = (text: string): boolean => /time \(ms\) \|.*\b(fwd|forward)_microstep: \d/.test(text);

export function pipeOfDeepspeedTimers(
  text: string,
): { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] } {
  const samples = { forward: [] as number[], backward: [] as number[] };
  const iterations: number[] = [];
  for (const { text: line } of linesOf(text)) {
    const step = /iter time \(s\): (\d+(?:\.\d+)?)/.exec(line);
    if (step !== null) iterations.push(Number(step[1]) * 1e3);
    const forward = /\b(?:fwd|forward)_microstep: (\d+(?:\.\d+)?)/.exec(line);
    const backward = /\b(?:bwd|backward)_microstep: (\d+(?:\.\d+)?)/.exec(line);
    if (forward === null || backward === null) continue;
    samples.forward.push(Number(forward[1]));
    samples.backward.push(Number(backward[1]));
  }
  if (samples.forward.length === 0)
    return { faults: [{ start: 0, end: 1, message: 'The log has no line with "fwd_microstep" and "bwd_microstep".' }] };
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return pipeOfTimers({
    source: 'timers of DeepSpeed',
    stages: [{ forward: mean(samples.forward), backward: mean(samples.backward) }],
    iteration: iterations.length === 0 ? undefined : mean(iterations),
    microbatches: undefined,
    remarks: [
      'DeepSpeed prints the timers of rank 0 alone: this is the first stage, and the log does not have the others.',
    ],
  });
}
