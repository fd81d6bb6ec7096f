/** A plan next to a run that was only logged: whole iterations, as text and as data. */
import { count, iterationTime, share, time } from '../../engine/basics/quantities.ts';
import { withoutFirst } from '../../engine/runs/iteration.ts';
import { otherSteps, plainSteps } from '../../engine/runs/logged.ts';
import { halfInterval, mean } from '../../engine/runs/statistics.ts';
import type { LoggedRun } from '../../engine/values/recording.ts';
import { printable } from '../../server/text/printable.ts';

export interface ShownLog {
  readonly name: string;
  /** Seconds of the iteration, with the exchange of gradients and the optimizer's step. */
  readonly planned: number;
  readonly run: LoggedRun;
  readonly skip: number;
  /** Why traces have no operations; absent for logs. */
  readonly without?: string;
}

/** Parts of a step that are shown, the longest first. */
const mostParts = 6;

function figuresOf({ run, skip }: ShownLog) {
  const used = withoutFirst(plainSteps(run), skip);
  const names = [...new Set(used.flatMap(({ spans }) => spans.map(({ name }) => name)))];
  const partOf = (part: string): number =>
    mean(used.map(({ spans }) => spans.find(({ name }) => name === part)?.seconds ?? 0));
  return {
    steps: used.length,
    measured: mean(used.map(({ seconds }) => seconds)),
    half: halfInterval(used.map(({ seconds }) => seconds)),
    parts: names
      .map((name) => ({ name, seconds: partOf(name) }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, mostParts),
  };
}

export function loggedText(shown: ShownLog): string {
  const { name, planned, run, without } = shown;
  const { steps, measured, half, parts } = figuresOf(shown);
  const other = otherSteps(run);
  const within = parts.map((part) => `${printable(part.name)} ${time(part.seconds)}`).join(', ');
  return [
    `${printable(name)}  next to the ${without === undefined ? 'logs' : 'traces'} of ${count(run.ranks.length, 'rank', 'ranks')}, mean of ${count(steps, 'step', 'steps')}, with the optimizer’s step`,
    '',
    `  Iteration  planned ${iterationTime(planned)}, measured ${iterationTime(measured)}${half === undefined ? '' : ` ± ${time(half)}`}, ${share(measured / planned - 1, true)}`,
    ...(within === '' ? [] : [`  On the host  ${within}`]),
    ...(other === '' ? [] : [`  Left out  ${printable(other)}`]),
    '',
    without ?? 'The logs have no operations: record a trace of some steps to see where a difference comes from.',
    '',
  ].join('\n');
}

export function loggedJson(shown: ShownLog): string {
  const { steps, measured, half, parts } = figuresOf(shown);
  const run = { ranks: shown.run.ranks, planned: shown.planned, measured, half, steps, parts };
  return `${JSON.stringify({ version: 1, pipeline: shown.name, logged: run })}\n`;
}
