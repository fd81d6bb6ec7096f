/** Whole iterations of a run, from the logs of its ranks. */
import { list } from '../basics/quantities.ts';
import type { LoggedRank, LoggedRun, LoggedStep } from '../values/recording.ts';
import { mean } from './statistics.ts';

/** Steps that every rank has, each the mean over ranks. A rank that was started again has several logs: the last one is used. */
export function loggedRun(logs: readonly LoggedRank[]): LoggedRun {
  const ranks = new Map<number, Map<number, LoggedStep>>();
  for (const { rank, steps } of logs) {
    const known = ranks.get(rank) ?? new Map<number, LoggedStep>();
    ranks.set(rank, known);
    for (const step of steps) known.set(step.number, step);
  }
  const [first, ...others] = [...ranks.values()];
  const common = [...first.keys()].filter((number) => others.every((rank) => rank.has(number)));
  return {
    ranks: [...ranks.keys()].toSorted((a, b) => a - b),
    steps: common
      .toSorted((a, b) => a - b)
      .map((number) =>
        stepOf(
          number,
          [...ranks.values()].flatMap((rank) => rank.get(number) ?? []),
        ),
      ),
  };
}

function stepOf(number: number, each: readonly LoggedStep[]): LoggedStep {
  const names = [...new Set(each.flatMap(({ spans }) => spans.map(({ name }) => name)))];
  const also = [...new Set(each.flatMap((step) => step.also ?? []))];
  return {
    number,
    seconds: mean(each.map(({ seconds }) => seconds)),
    spans: names.map((name) => ({
      name,
      seconds: mean(each.map(({ spans }) => spans.find((span) => span.name === name)?.seconds ?? 0)),
    })),
    ...(also.length === 0 ? {} : { also }),
  };
}

/** Steps that do nothing else than training; all if none does. */
export const plainSteps = ({ steps }: LoggedRun): readonly LoggedStep[] => {
  const plain = steps.filter(({ also }) => also === undefined);
  return plain.length === 0 ? steps : plain;
};

/** `step 10 (gc) and step 20 (checkpoint_save)`: steps that did something else; empty for none. */
export function otherSteps({ steps }: LoggedRun): string {
  const other = steps.filter(({ also }) => also !== undefined);
  const shown = other.slice(0, 5).map(({ number, also = [] }) => `step ${number} (${also.join(', ')})`);
  return list(other.length > 5 ? [...shown, `${other.length - 5} more`] : shown);
}
