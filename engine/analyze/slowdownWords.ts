import type { SlowdownReport } from '../values/report.ts';
import { share, time } from '../basics/quantities.ts';

/** A figure of the slowdown: its name in the study of stragglers, its value, and what the value means. */
export interface SlowdownWords {
  readonly symbol: 'S' | 'S_t' | 'S_w' | 'M_S';
  readonly value: string;
  readonly meaning: string;
}

/** The figures in the order of the study. A figure without a value is left out. */
export function slowdownWords({
  ideal,
  slowdown,
  kinds,
  devices,
  last_stage: last,
}: SlowdownReport): readonly SlowdownWords[] {
  const known = kinds.filter((kind) => Number.isFinite(kind.slowdown));
  const worst = devices
    .filter((device) => Number.isFinite(device.slowdown))
    .reduce<(typeof devices)[number] | undefined>(
      (most, device) => (most === undefined || device.slowdown > most.slowdown ? device : most),
      undefined,
    );
  const all: readonly (SlowdownWords | false)[] = [
    Number.isFinite(slowdown) && {
      symbol: 'S',
      value: factor(slowdown),
      meaning: `over ${time(ideal)}, with equal stages and equal transfers`,
    },
    known.length > 0 && {
      symbol: 'S_t',
      value: known.map((kind) => `${kind.name.replace('_', ' ')} ${factor(kind.slowdown)}`).join(', '),
      meaning: 'if only this kind of operation takes its real times',
    },
    worst !== undefined && {
      symbol: 'S_w',
      value: `${worst.name} ${factor(worst.slowdown)}`,
      meaning: 'the device that slows the iteration most',
    },
    last !== undefined &&
      Number.isFinite(last) && {
        symbol: 'M_S',
        value: share(last, last < 0),
        meaning:
          last < 0
            ? 'of the slowdown: it grows by this much if the last stage takes the mean time of all stages'
            : 'of the slowdown is due to the last stage: it would go if that stage took the mean time of all stages',
      },
  ];
  return all.filter((each) => each !== false);
}

const factor = (value: number): string => value.toFixed(3);
