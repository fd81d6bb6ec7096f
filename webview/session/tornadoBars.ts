import { type TornadoRow, tornadoOf } from '../../engine/analyze/tornado.ts';
import { slackWords } from '../../engine/analyze/slackWords.ts';
import { share, timeChange } from '../../engine/basics/quantities.ts';

/** From and to, shares of the width of the drawing. */
export interface BarSpan {
  readonly from: number;
  readonly to: number;
}

/** A row of the drawing: what the iteration changes by if a time is 10 % shorter or longer. */
export interface TornadoBar {
  readonly row: TornadoRow;
  readonly shorter: BarSpan;
  readonly longer: BarSpan;
  /** Shares of the iteration: `−1.2 %`, `+6.9 %`. */
  readonly shorterText: string;
  readonly longerText: string;
  /** All of it, in words. */
  readonly words: string;
}

export interface TornadoBars {
  /** Largest effect first. */
  readonly bars: readonly TornadoBar[];
  /** The place of no change, as a share of the width. */
  readonly axis: number;
  /** Rows that are not drawn because they change the iteration by less than 0.1 %. */
  readonly folded: number;
}

/** Bars on one scale over all rows. `iteration`: seconds. Pure. */
export function tornadoBars(all: readonly TornadoRow[], iteration: number): TornadoBars {
  const { rows, folded } = tornadoOf(all, iteration);
  const ends = rows.flatMap(({ slower, faster }) => [slower, -faster]);
  const least = Math.min(0, ...ends);
  const length = Math.max(0, ...ends) - least;
  const at = (seconds: number): number => (length > 0 ? (seconds - least) / length : 0);
  const span = (seconds: number): BarSpan => ({ from: at(Math.min(0, seconds)), to: at(Math.max(0, seconds)) });
  return {
    bars: rows.map((row) => ({
      row,
      shorter: span(-row.faster),
      longer: span(row.slower),
      shorterText: share(-row.faster / iteration, true),
      longerText: share(row.slower / iteration, true),
      words: rowWords(row, iteration),
    })),
    axis: at(0),
    folded,
  };
}

function rowWords({ name, slower, faster, slack }: TornadoRow, iteration: number): string {
  const room = slackWords(slack);
  const parts = [
    `10 % longer: ${changeText(slower, iteration)}`,
    `10 % shorter: ${changeText(-faster, iteration)}`,
    ...(room === undefined ? [] : [room]),
  ];
  return `${name}. ${parts.join('; ')}`;
}

/** `+12 ms (+1.2 %)`, `no change`: seconds by which the iteration gets longer. */
export function changeText(seconds: number, iteration: number): string {
  if (Math.abs(seconds) <= iteration * 1e-9) return 'no change';
  return `${timeChange(seconds)} (${share(seconds / iteration, true)})`;
}
