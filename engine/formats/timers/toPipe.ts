/** Sums of an engine's timers → a `.pipe` file. A log has no microbatches, so they are a param that the times are divided by. */
import { count, iterationTime } from '../../basics/quantities.ts';
import { laidOut } from '../toPipe.ts';

export interface TimerTimes {
  readonly source: string;
  /** Milliseconds of all microbatches of an iteration, by stage. */
  readonly stages: readonly { readonly forward: number; readonly backward: number }[];
  /** Milliseconds. */
  readonly iteration: number | undefined;
  /** As the log says, or the samples of an iteration. `one`: the times are of one microbatch already. */
  readonly microbatches: { readonly count: number; readonly known: boolean } | 'one' | undefined;
  readonly remarks: readonly string[];
}

export function pipeOfTimers({ source, stages, iteration, microbatches, remarks }: TimerTimes): {
  readonly pipe: string;
  readonly remarks: readonly string[];
} {
  const each = microbatches === 'one';
  const assumed =
    each || microbatches?.known === true
      ? []
      : [
          `The log does not say how many microbatches there are: \`microbatches\` is ${microbatches === undefined ? 'a stand-in' : 'the number of samples'}. Set it to yours, and the times follow.`,
        ];
  const all = [...remarks, ...assumed];
  const ms = (value: number): string => `${Number(value.toFixed(6))}ms`;
  const param = each ? '' : `param microbatches = ${microbatches?.count ?? 8} in 1..65536\n\n`;
  const divided = each ? '' : ' / microbatches';
  const text = `/// ${count(stages.length, 'stage', 'stages')} of the ${source}.${iteration === undefined ? '' : ` Iteration: ${iterationTime(iteration / 1e3)} measured.`}
${all.map((remark) => `/// ${remark}`).join('\n')}
${param}model measured {
${stages.map(({ forward, backward }, stage) => `  layer stage${stage} { forward = ${ms(forward)}${divided}  backward = ${ms(backward)}${divided} }`).join('\n')}
}
`;
  return { pipe: laidOut(text), remarks: all };
}
