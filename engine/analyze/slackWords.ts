import { time } from '../basics/quantities.ts';

/** `slack 3.6 ms per microbatch`, `no slack`; undefined where the slack is unknown or without end. `seconds`: as `stageSlack` gives it. */
export function slackWords(seconds: number | undefined): string | undefined {
  if (seconds === undefined || Number.isNaN(seconds)) return undefined;
  return hasSlack(seconds) ? `slack ${time(seconds)} per microbatch` : 'no slack';
}

/** What less than a nanosecond is, is rounding. */
export const hasSlack = (seconds: number): boolean => seconds >= 1e-9;
