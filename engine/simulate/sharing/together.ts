import type { CallNetwork, Flight } from './callNetwork.ts';

/** Takes part in a joint simulation. */
export interface Participant {
  /** When it can go on although no call has ended; `Infinity` if it waits for one. */
  next(): number;
  /** Takes in what happens by `now`, and starts what may start. */
  step(now: number): void;
  /** One of its calls has ended. Others hear of it too. */
  ended(flight: Flight): void;
}

/** Runs all until nothing is left to do. At one moment, calls end before others begin. */
export function runTogether(participants: readonly Participant[], network: CallNetwork): void {
  for (;;) {
    let now = network.next();
    for (const participant of participants) now = Math.min(now, participant.next());
    if (now === Infinity) return;
    for (const flight of network.advance(now)) for (const participant of participants) participant.ended(flight);
    for (const participant of participants) participant.step(now);
  }
}
