import type { PipelinePlan } from '../values/plan.ts';
import { textWidth } from './xml.ts';

/** Places of all parts of a figure, in points. */
export interface Sheet {
  readonly width: number;
  /** Left and right end of the time axis. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  /** From row to row, and of a row. */
  readonly pitch: number;
  readonly row: number;
  /** Of each direction of an exchange under a row; 0 if there is none, or no room for it. */
  readonly leg: number;
  readonly rows: number;
  /** Seconds at the right end. */
  readonly seconds: number;
  /** Every how many rows a name is written. */
  readonly namesEvery: number;
}

export const fontSize = 7;
/** One column and two columns of a paper. */
export const paperWidths = { '3.4in': 244.8, '7in': 504 } as const;
export type PaperWidth = keyof typeof paperWidths;

/** 14 px and 17 px of 1/96 inch. */
const fullRow = 10.5;
const fullPitch = 12.75;
const fullLeg = 6.5;
/** Rows that are nearer to each other show no exchange. */
const leastPitch = 12;
/** Rows together: what a page holds with its caption. */
const mostHeight = 560;

/** If two operations share a slot, a row holds two numbers, one above the other. */
const tall = 1.6;

/**
 * `labels`: texts left of the axis, other than names of devices. `legs`: directions of the exchange under each row. `halves`:
 * operations share slots. `held`: texts right of the axis.
 */
export function sheetOf(
  plan: PipelinePlan,
  seconds: number,
  width: number,
  labels: readonly string[],
  {
    legs = 0,
    halves = false,
    held = [],
  }: { readonly legs?: number; readonly halves?: boolean; readonly held?: readonly string[] } = {},
): Sheet {
  const rows = plan.devices.length;
  const full = fullPitch * (halves ? tall : 1);
  const wanted = full + legs * (fullLeg + 0.5);
  const room = Math.min(wanted, mostHeight / Math.max(1, rows));
  const leg = legs > 0 && room >= leastPitch ? fullLeg * (room / wanted) : 0;
  const pitch = leg > 0 ? room : Math.min(full, room);
  const inner = leg > 0 ? full * (room / wanted) : pitch;
  const widest = (texts: readonly string[]): number =>
    texts.reduce((most, text) => Math.max(most, textWidth(text, fontSize)), 0);
  const names = Math.min(widest(plan.devices.map(({ name }) => name)), width * 0.22);
  return {
    width,
    left: Math.max(names, widest(labels)) + 5,
    right: width - 5 - (held.length === 0 ? 0 : widest(held) + 4),
    top: 4,
    pitch,
    row: pitch < 2 ? pitch : inner * (fullRow / fullPitch),
    leg,
    rows,
    seconds,
    namesEvery: Math.max(1, Math.ceil((fontSize + 1) / pitch)),
  };
}

/** Points of a time. */
export const xOf = ({ left, right, seconds }: Sheet, time: number): number =>
  seconds > 0 ? left + (time / seconds) * (right - left) : left;
export const yOf = ({ top, pitch }: Sheet, row: number): number => top + row * pitch;
/** Top of a direction of the exchange under a row. */
export const legTop = (sheet: Sheet, row: number, leg: number): number =>
  yOf(sheet, row) + sheet.row + 0.8 + leg * (sheet.leg + 0.5);
