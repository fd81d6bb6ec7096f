/** How figures are shown, everywhere: editor, preview, terminal. Inverse of nothing; for reading, not for parsing. */
import type { Dimension } from '../values/plan.ts';

/** A number less than 0 as people read it. Files and data have the hyphen. */
export const minus = (text: string): string => text.replace(/^-/, '−');

const significant = (value: number, digits: number): string => {
  const text = value.toPrecision(Math.min(digits, 15));
  const plain = text.includes('e') ? String(Number(text)) : text;
  return minus(plain.includes('.') && !plain.includes('e') ? plain.replace(/\.?0+$/, '') : plain);
};

/** The words of an amount with the sign of a change: `−3 GiB`, `+3 GiB`. */
export const withSign = (change: number, words: string): string => `${change < 0 ? '−' : '+'}${words}`;

/** Under half of it, a time is an error of rounding. */
const leastTime = 1e-9;

/** Seconds as `812 ms`, `4.2 s`, `3.1 µs`. Durations have three digits; for other times see `iterationTime` and `moment`. */
export function time(seconds: number, digits = 3): string {
  if (!Number.isFinite(seconds)) return String(seconds);
  const size = Math.abs(seconds);
  if (size < leastTime / 2) return '0 ms';
  // 999.9999 µs reads as 1 ms, not as 1000 µs. Rounding to a digit or more never makes 1 of what is under a half.
  const reaches = (unit: number): boolean =>
    size >= unit || (size >= unit / 2 && Number((size / unit).toPrecision(digits)) >= 1);
  if (reaches(1)) return `${significant(seconds, Math.max(digits, 1 + Math.floor(Math.log10(size))))} s`;
  if (reaches(1e-3)) return `${significant(seconds * 1e3, digits)} ms`;
  if (reaches(1e-6)) return `${significant(seconds * 1e6, digits)} µs`;
  return `${significant(seconds * 1e9, digits)} ns`;
}

/** What a time changes by: `−12 ms`, `+3.1 µs`; under a nanosecond, `0 ms`. */
export const timeChange = (seconds: number): string =>
  Math.abs(seconds) < 1e-9 ? '0 ms' : withSign(seconds, time(Math.abs(seconds)));

/** The length of an iteration, which people compare: `264.2 ms`. */
export const iterationTime = (seconds: number): string => time(seconds, 4);

/** A time that something is at least, rounded down: `3.19 s` for 3.195 s. */
export function timeAtLeast(seconds: number, digits = 3): string {
  if (!(seconds > 0) || !Number.isFinite(seconds)) return time(seconds, digits);
  const step = 10 ** (Math.floor(Math.log10(seconds)) + 1 - digits);
  // A time of few digits is not a multiple of the step in floating point.
  return time(Math.floor(seconds / step + 1e-6) * step, digits);
}

/** When something happens. The end of the last operation reads as the length of the iteration does. */
export const moment = (seconds: number): string => iterationTime(seconds);

const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
/** Bytes as `21.4 GiB`, `512 MiB`. */
export function bytes(size: number, digits = 3): string {
  let value = size;
  let unit = 0;
  while (Math.abs(value) >= 1023.5 && unit < binary.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${significant(value, Math.max(digits, Math.abs(value) >= 1000 ? 4 : 1))} ${binary[unit]}`;
}

/** A difference of amounts that are read in the larger unit: `0.998 GiB`, not `1022 MiB`. */
export function bytesApart(size: number): string {
  const text = bytes(size);
  const [, number, unit] = /^(\d{4}) (\w+)$/.exec(text) ?? [];
  const larger = binary[binary.indexOf(unit) + 1];
  return number === undefined || larger === undefined ? text : `${(Number(number) / 1024).toPrecision(3)} ${larger}`;
}

/** What an amount changes by: `−0.998 GiB`, `+512 MiB`, `± 0`. */
export const bytesChange = (size: number): string => (size === 0 ? '± 0' : withSign(size, bytesApart(Math.abs(size))));

/** Bytes as a file writes them, exactly: `20GiB`, `1536MiB`, `1000B`. */
export function bytesLiteral(size: number): string {
  const unit = [3, 2].find((power) => size % 1024 ** power === 0) ?? 0; // in bytes otherwise
  return `${size / 1024 ** unit}${binary[unit]}`;
}

/** A share as `27.3 %` or `−9 %`; with `signed`, `+9 %`. */
export function share(value: number, signed = false): string {
  const percent = value * 100;
  const text =
    Math.abs(percent) < 0.05
      ? '0'
      : Math.abs(percent) >= 99.95
        ? percent.toFixed(0)
        : percent.toFixed(1).replace(/\.0$/, '');
  return `${signed && percent > 0 && text !== '0' ? '+' : ''}${minus(text)} %`;
}

/** Whether a lower bound of a share excludes anything: one that reads as 0 % says nothing. */
export const excludesSome = (bound: number): boolean => share(bound) !== share(0);

/** A share that something is at most, rounded up: `0.2 %`. */
export const shareAtMost = (value: number): string => `${Math.ceil(value * 1000 - 1e-9) / 10} %`;

/** `1 microbatch`, `6 microbatches`, with thousands separated. */
export const count = (value: number, singular: string, plural: string): string =>
  `${separated(value)} ${value === 1 ? singular : plural}`;

/** Small whole numbers, which nearly all are, take a hundredth of the time so. */
const separated = (value: number): string =>
  value > 0 && value < 1000 && Number.isInteger(value) ? String(value) : value.toLocaleString('en-US');

/** `stage 2`, `stages 2 and 5`. */
export const numbered = (numbers: readonly number[], singular: string, plural: string): string =>
  `${numbers.length === 1 ? singular : plural} ${list(numbers.map(String))}`;

/** `4 devices`; if some of them stand for several ranks each, `4 devices for 32 GPUs`. */
export function devicesInWords(devices: readonly { readonly members?: number }[]): string {
  const all = devices.reduce((sum, { members = 1 }) => sum + members, 0);
  return `${count(devices.length, 'device', 'devices')}${all > devices.length ? ` for ${count(all, 'GPU', 'GPUs')}` : ''}`;
}

/** `a`, `a and b`, `a, b and c`. */
export const list = (items: readonly string[]): string =>
  items.length <= 1 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;

const decimal = ['', 'K', 'M', 'G', 'T', 'P'];
/** A plain number with an SI prefix: `22.1 G`; for parameters and FLOPs. */
export function amount(value: number, digits = 3): string {
  let rest = value;
  let unit = 0;
  while (Math.abs(rest) >= 999.5 && unit < decimal.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${significant(rest, digits)}${decimal[unit] === '' ? '' : ` ${decimal[unit]}`}`;
}

/** Tokens as people say and files write them, in billions: `100 B tokens`. */
export const tokens = (value: number): string => `${amount(value).replace(/ G$/, ' B')} tokens`;

/** A measure as a person reads it: `4 ms`, `16 GiB`, `25 GB/s`. */
export function show(value: number, dimension: Dimension): string {
  switch (dimension) {
    case 'time':
      return time(value);
    case 'bytes':
      return bytes(value);
    case 'share':
      return share(value);
    case 'number':
      // Whole numbers are exact, so that one just over a bound differs from it.
      return minus(String(Number.isInteger(value) ? value : Number(value.toPrecision(12))));
    case 'bandwidth':
      return joined(value, 'B/s');
    case 'compute':
      return joined(value, 'FLOPS');
    case 'flops':
      return joined(value, 'FLOP');
    case 'tokens':
      return tokens(value);
    case 'rate':
      return `${amount(value)}/s`;
  }
}

const joined = (value: number, unit: string): string => {
  const text = amount(value);
  return text.includes(' ') ? `${text}${unit}` : `${text} ${unit}`;
};
