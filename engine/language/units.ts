import type { Dimension } from '../values/plan.ts';
import { nearest } from '../basics/spelling.ts';

/** What may follow a number. A quantity is `value × scale` in the base unit of its dimension (seconds, bytes, FLOPs, shares of 1). */
export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  readonly scale: number;
  /** One line for hover and completion. */
  readonly doc: string;
}

const unit = (name: string, dimension: Dimension, scale: number, doc: string): Unit => ({
  name,
  dimension,
  scale,
  doc,
});

const decimal = [
  ['', 1, ''],
  ['K', 1e3, '1,000 '],
  ['M', 1e6, '1,000,000 '],
  ['G', 1e9, '10⁹ '],
  ['T', 1e12, '10¹² '],
  ['P', 1e15, '10¹⁵ '],
] as const;
const binary = [
  ['Ki', 2 ** 10, '2¹⁰ '],
  ['Mi', 2 ** 20, '2²⁰ '],
  ['Gi', 2 ** 30, '2³⁰ '],
  ['Ti', 2 ** 40, '2⁴⁰ '],
] as const;
/** As the field counts them: B is a billion. */
const tokens = [
  ['T', 1e12, '10¹² '],
  ['B', 1e9, '10⁹ '],
  ['M', 1e6, '1,000,000 '],
  ['K', 1e3, '1,000 '],
  ['', 1, ''],
] as const;
const sizes = [...decimal.slice(0, 5), ...binary];

/** Every unit, the usual one of a dimension first. */
export const units: readonly Unit[] = [
  unit('ms', 'time', 1e-3, 'milliseconds'),
  unit('s', 'time', 1, 'seconds'),
  unit('us', 'time', 1e-6, 'microseconds'),
  unit('µs', 'time', 1e-6, 'microseconds'),
  unit('ns', 'time', 1e-9, 'nanoseconds'),
  unit('min', 'time', 60, 'minutes'),
  unit('h', 'time', 3600, 'hours'),
  ...sizes.map(([prefix, scale, words]) => unit(`${prefix}B`, 'bytes', scale, `${words}bytes`)),
  ...sizes.map(([prefix, scale, words]) => unit(`${prefix}B/s`, 'bandwidth', scale, `${words}bytes per second`)),
  ...decimal
    .slice(1, 5)
    .flatMap(([prefix, scale, words]) => [
      unit(`${prefix}b/s`, 'bandwidth', scale / 8, `${words}bits per second, eight per byte`),
      unit(`${prefix}bps`, 'bandwidth', scale / 8, `${words}bits per second, eight per byte`),
    ]),
  ...decimal.map(([prefix, scale, words]) =>
    unit(`${prefix}FLOPS`, 'compute', scale, `${words}floating-point operations per second`),
  ),
  ...decimal.map(([prefix, scale, words]) =>
    unit(`${prefix}FLOP`, 'flops', scale, `${words}floating-point operations (a multiply-add is two)`),
  ),
  ...tokens.map(([prefix, scale, words]) => unit(`${prefix}tok`, 'tokens', scale, `${words}tokens`)),
  unit('%', 'share', 0.01, 'hundredths'),
  unit('/s', 'rate', 1, 'a second'),
];

const byName = new Map<string, Unit>();
for (const each of units) byName.set(each.name, each);
// U+03BC looks like the micro sign U+00B5 and some keyboards type it.
byName.set('μs', unit('μs', 'time', 1e-6, 'microseconds'));
const plain = unit('', 'number', 1, 'a plain number');

/** The unit as written after a number; undefined where there is none of that name. The empty suffix is a plain number. */
export const findUnit = (name: string): Unit | undefined => (name === '' ? plain : byName.get(name));

/** Long or foreign names, by the unit that they mean. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    s: 'sec secs second seconds',
    ms: 'msec msecs millis millisecond milliseconds',
    us: 'u usec usecs micros microsecond microseconds',
    ns: 'n nsec nanosecond nanoseconds',
    min: 'm minute minutes',
    h: 'hr hrs hour hours',
    B: 'byte bytes',
    KiB: 'ki',
    MiB: 'mi',
    GiB: 'gi gig gigs',
    TiB: 'ti',
    '%': 'percent pct',
  }).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

/** The nearest spelling of a unit; upper and lower case are tried before other letters. */
export function nearestUnit(name: string): string | undefined {
  // A small b is a bit, and bits are only counted per second.
  if (/^[KMGT]b$/.test(name)) return `${name}/s`;
  // A capital B is a byte: `GBps` is eight times `Gbps`.
  if (/^[KMGT]i?Bps$/.test(name)) return name.replace('ps', '/s');
  const lower = name.toLowerCase();
  return (
    units.find((candidate) => candidate.name.toLowerCase() === lower)?.name ??
    aliases.get(lower) ??
    nearest(name, byName.keys())
  );
}

/** Units that a spelling may mean: `M` where bytes are expected as `MB` and `MiB`. */
export function unitsLike(written: string, dimension: Dimension | undefined): readonly string[] {
  const lower = written.toLowerCase();
  const fitting = units.filter((unit) => unit.dimension === dimension);
  const near = nearestUnit(written);
  const nearFits = near !== undefined && fitting.some((unit) => unit.name === near);
  const out = new Set<string>(near !== undefined && (nearFits || dimension === undefined) ? [near] : []);
  // `M`, `Mib` and `mb` for `MB` and `MiB`; `G` for `GB/s`.
  const stem = (name: string): string =>
    name
      .toLowerCase()
      .replace(/\/?s$|ps$|tok$|tokens?$/, '')
      .replace(/i?b?$/, '');
  const isPrefix = /^[kmgtp]/.test(lower);
  for (const { name } of fitting) if (isPrefix && stem(name) === stem(lower)) out.add(name);
  if (near !== undefined) out.add(near);
  if (out.size === 0) for (const { name } of fitting.slice(0, 2)) out.add(name);
  return [...out].slice(0, 4);
}

/** Whole numbers that `8K` or `1.5M` may mean where a plain number is expected; of other units the number alone. */
export function countsLike(number: number, unit: string): readonly number[] {
  const power = ['k', 'm', 'g', 't'].indexOf(unit.toLowerCase()) + 1;
  const meant = [number * 1024 ** power, number * 1000 ** power];
  return [...new Set(meant)].filter((value) => Number.isSafeInteger(value) || power === 0);
}

/** An example of each dimension, for messages and completion. */
export const exampleOf: Readonly<Record<Dimension, string>> = {
  number: '8',
  share: '40%',
  time: '4ms',
  bytes: '16GiB',
  bandwidth: '25GB/s',
  compute: '312TFLOPS',
  flops: '2GFLOP',
  rate: '300/s',
  tokens: '15Ttok',
};

/** A dimension with its article: `a time`, `bytes`. */
export const phraseOf: Readonly<Record<Dimension, string>> = {
  number: 'a plain number',
  share: 'a share',
  time: 'a time',
  bytes: 'bytes',
  bandwidth: 'a bandwidth',
  compute: 'a compute rate',
  flops: 'an amount of FLOPs',
  rate: 'a rate',
  tokens: 'a number of tokens',
};

/** Dividing by a whole number keeps `5us` the number nearest to 0.000005; multiplying by 1e-6 does not. */
export const scaled = (value: number, scale: number): number =>
  scale < 1 ? value / Math.round(1 / scale) : value * scale;
