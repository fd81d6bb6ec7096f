import type { Notes } from '../notes.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { bytes, time } from '../../basics/quantities.ts';
import { strategyName } from '../../costs/reshard.ts';
import { fastestOf, secondsOf, type Exchange } from '../../network/index.ts';

/** What of a way to send is shown. */
export type Figures = Pick<Exchange, 'rule' | 'perByte' | 'latency'>;

/** Ranks of different meshes, their largest message, and the methods to send it. */
interface Resharded {
  readonly pair: string;
  readonly bytes: number;
  readonly all: readonly Figures[];
}

/** Pairs that a tooltip names. */
const most = 8;

/** ` resharded by broadcast` after the key that chose it, or after the devices if no key did, with the time of each method. */
export function hintReshard(
  notes: Notes,
  at: { readonly devices: Span; readonly transfer: Span },
  found: readonly Resharded[],
): void {
  if (found.length === 0) return;
  const taken = found.map((resharded) => ({ ...resharded, best: fastestOf(resharded.all, resharded.bytes) }));
  const names = [...new Set(taken.map(({ best }) => strategyName(best.rule)))];
  const chosen = found.some(({ all }) => all.length > 1);
  const lines = taken.slice(0, most).map(({ pair, bytes: size, best, all }) => {
    const others = all
      .filter((figures) => figures !== best)
      .map((figures) => `${strategyName(figures.rule)} ${time(secondsOf(figures, size))}`);
    const rest = others.length === 0 ? '' : ` (${others.join(', ')})`;
    return `${pair}: ${strategyName(best.rule)} ${time(secondsOf(best, size))}${rest}; each sender has ${bytes(size)}.`;
  });
  const more = taken.length > most ? [`And ${taken.length - most} more.`] : [];
  notes.derived.push({
    offset: (chosen ? at.devices : at.transfer).end,
    text: ` resharded by ${names.join(', ')}`,
    tooltip: [...lines, ...more].join('\n'),
  });
}
