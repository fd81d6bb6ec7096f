import { bubbleCauses, causeNames } from '../../engine/values/report.ts';
import { timeChange } from '../../engine/basics/quantities.ts';
import type { RaceFigures } from '../worker/messages.ts';

/** A part of the difference of two iterations: a mean over the devices. */
export interface DifferencePart {
  /** `compute`, or the name of a cause of idle time. */
  readonly name: string;
  readonly seconds: number;
}

/**
 * The difference of two iterations in parts that add up to it. An iteration is the mean time that devices compute, and the mean time
 * that they idle for each cause.
 */
export function differenceParts(now: RaceFigures, before: RaceFigures): readonly DifferencePart[] {
  const busy = ({ iteration, bubble }: RaceFigures) => iteration * (1 - bubble);
  return [
    { name: 'compute', seconds: busy(now) - busy(before) },
    ...bubbleCauses.map((cause) => ({
      name: causeNames[cause],
      seconds: (now.causes[cause] ?? 0) * now.iteration - (before.causes[cause] ?? 0) * before.iteration,
    })),
  ];
}

/** Differences under this share of the baseline have no cause worth a sentence. */
const least = 0.0005;

/** `Largest cause: fill and drain, −34.1 ms per device on average.` Empty for iterations of one length. */
export function causeWords(now: RaceFigures, before: RaceFigures, behind: string | undefined): string {
  const difference = now.iteration - before.iteration;
  if (Math.abs(difference) <= least * before.iteration) return '';
  const sign = Math.sign(difference);
  const largest = differenceParts(now, before).reduce((most, part) =>
    part.seconds * sign > most.seconds * sign ? part : most,
  );
  const change = timeChange(largest.seconds);
  const device = behind === undefined ? '' : ` ${behind} explains over half of the difference.`;
  return `Largest cause: ${largest.name}, ${change} per device on average.${device}`;
}
