import { share, time } from '../basics/quantities.ts';

/** The device that waits longest for gradients, for one cause. */
export interface Waited {
  readonly device: string;
  readonly seconds: number;
  readonly share: number;
  readonly barrier: boolean;
  /** Buckets are not cut into pieces. */
  readonly whole: boolean;
  /** Seconds that the advice saves of an iteration, and their share; absent if it is not simulated. */
  readonly saved?: number;
  readonly savedShare?: number;
}

export const waits = ({ device, seconds, share: part }: Waited): string =>
  `${device} waits ${time(seconds)} (${share(part)} of the iteration) for gradients`;

/** Most of a wait may only move to another place, so the gain is said too. */
export const gain = ({ saved, savedShare }: Waited): string =>
  saved === undefined || savedShare === undefined
    ? ''
    : ` The iteration can be ${time(saved)} shorter (${share(savedShare)}).`;
