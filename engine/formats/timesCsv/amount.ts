import { table } from '../../basics/table.ts';

export type Dimension = 'time' | 'size';

const seconds: Readonly<Record<string, number>> = table({ '': 1e-3, ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1 });
const bytes: Readonly<Record<string, number>> = table({
  ...{ '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
});

/** Seconds or bytes; undefined for what is no amount. */
export function amountIn(text: string, dimension: Dimension): number | undefined {
  const [, digits, unit] = /^(\d{1,20}(?:\.\d{0,20})?(?:e[+-]?\d{1,2})?)\s*([a-zµ]*)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const scale = (dimension === 'time' ? seconds : bytes)[unit.toLowerCase()];
  return scale === undefined ? undefined : Number(digits) * scale;
}
