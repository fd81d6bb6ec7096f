import type { TimedCall } from '../../values/exchangePlan.ts';
import { callNetwork } from './callNetwork.ts';
import { sequenceOf } from './steps.ts';
import { type Participant, runTogether } from './together.ts';

/** Of calls that follow each other from 0 on: ends, and seconds by which each is slower than alone. */
export interface SequenceTimes {
  readonly ends: readonly number[];
  readonly slowed: readonly number[];
}

/** By user of the links; `undefined` if no user slows another down. */
export function runFromStart(
  links: Float64Array,
  users: readonly (readonly TimedCall[])[],
): readonly SequenceTimes[] | undefined {
  const network = callNetwork(
    links,
    users.flatMap((calls) => calls.flatMap(({ passes }) => passes)),
  );
  const times = users.map(() => ({ ends: [] as number[], slowed: [] as number[] }));
  const participants = users.flatMap((calls, user): readonly Participant[] => {
    if (calls.length === 0) return [];
    const sequence = sequenceOf(calls, 0, network);
    return [
      {
        next: () => Infinity,
        step: () => undefined,
        ended(flight) {
          if (!sequence.isAt(flight)) return;
          times[user].ends.push(flight.ends);
          times[user].slowed.push(flight.isSlowed ? Math.max(0, flight.ends - flight.start - flight.call.seconds) : 0);
          sequence.ended(flight);
        },
      },
    ];
  });
  runTogether(participants, network);
  return times.some(({ slowed }) => slowed.some((seconds) => seconds > 0)) ? times : undefined;
}
