import { amount, tokens as tokensText } from '../basics/quantities.ts';
import type { TokensReport } from '../values/report.ts';

/** `413 tokens/s per GPU`, then `1.65 K tokens/s` and, for a total, `15 T tokens in 26.4 days, 2.6 M GPU-hours`. */
export function tokenWords(report: TokensReport): {
  readonly each: string;
  readonly all: string;
  readonly total?: string;
} {
  const { per_second: rate, per_second_per_gpu: each, total, days, gpu_hours: hours } = report;
  return {
    each: `${tokenRate(each)} tokens/s per GPU`,
    all: `${amount(rate)} tokens/s`,
    ...(total === undefined || days === undefined || hours === undefined
      ? {}
      : { total: `${tokensText(total)} in ${daysText(days)}, ${amount(hours)} GPU-hours` }),
  };
}

/** Thousands of days are no unit: `26.4 days`, `1,150 days`. */
const daysText = (days: number): string =>
  `${days < 999.5 ? amount(days) : Number(days.toPrecision(3)).toLocaleString('en-US')} days`;

/** Tokens per second of one device, which people compare: four digits, thousands separated. */
export const tokenRate = (rate: number): string => Number(rate.toPrecision(4)).toLocaleString('en-US');
