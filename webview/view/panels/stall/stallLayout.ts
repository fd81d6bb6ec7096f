/** The places of a drawn deadlock's parts, in pixels: rows of what ran to scale, then boxes of what never runs. */
import type { DeadlockStep } from '../../../../engine/schedule/deadlockSteps.ts';
import type { Program } from '../../../../engine/values/program.ts';
import type { Stall } from '../../../../engine/flow/stall.ts';
import {
  boxLabel,
  type Circle,
  exchangeLabel,
  itemKey,
  paintKindAt,
  type RestItem,
  restItems,
  shownRows,
  type ShownRows,
  stepKey,
} from '../../../picture/stalledRows.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface RestBox extends Box {
  readonly label: string;
  /** Index of its paint kind; −1 for operations that are left out. */
  readonly kind: number;
  readonly inCircle: boolean;
  /** In the program's order; −1 for what is no operation. */
  readonly position: number;
}

export interface StallRow {
  readonly device: number;
  /** Top of its blocks, and their height. */
  readonly y: number;
  readonly boxes: readonly RestBox[];
}

/** An arrow from a step to the one that it waits for. `bend`: distance of its middle from the straight line, downwards. */
export interface Arrow {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly bend: number;
  readonly number: number;
}

export interface StallLayout {
  readonly width: number;
  readonly height: number;
  readonly gutter: number;
  /** The labels over the two parts do not fit into one line. */
  readonly crowded: boolean;
  /** The part to scale: 0 to the time of the stall. */
  readonly ran: { readonly x: number; readonly width: number };
  readonly rest: number;
  readonly top: number;
  readonly barHeight: number;
  readonly rows: readonly StallRow[];
  readonly hidden: Pick<ShownRows, 'waiting' | 'done'>;
  readonly arrows: readonly Arrow[];
}

export const mostRows = 8;
const gap = 8;
const top = 40;
/** Width of a letter of a device's name, in pixels. */
export const letter = 7.6;

/** `wanted`: position of an operation that has to be in sight; −1 for none. */
export function stallLayout(
  stall: Stall,
  names: readonly string[],
  circle: Circle,
  page: number,
  wanted = -1,
): StallLayout {
  const narrow = page < 560;
  const { devices, waiting, done } = shownRows(stall, circle, mostRows, deviceOfPosition(stall.program, wanted));
  const longestName = Math.max(0, ...devices.map((device) => names[device].length));
  const gutter = Math.min(narrow ? 92 : 160, Math.max(narrow ? 62 : 96, Math.ceil(longestName * letter) + 18));
  const barHeight = narrow ? 30 : 36;
  const pitch = barHeight + 42;
  const ranWidth = stall.seconds > 0 ? Math.round((page - gutter) * (narrow ? 0.24 : 0.3)) : 0;
  const rest = gutter + ranWidth + (narrow ? 14 : 20);
  const room = page - rest - 12;
  const longest = Math.min(
    6,
    Math.max(1, ...devices.map((device) => stall.program.offsets[device + 1] - stall.stuck[device])),
  );
  const spread = Math.floor((room + gap) / longest) - gap;
  const long = spread >= 84;
  const boxWidth = long ? Math.min(98, spread) : boxWidthFor(stall, circle, devices);
  const columns = Math.max(2, Math.floor((room + gap) / (boxWidth + gap)));
  const places = new Map<string, Box>();
  const rows = devices.map((device, index): StallRow => {
    const y = top + 14 + index * pitch;
    let x = rest;
    const boxes = restItems(stall, device, circle, columns, wanted).map((item): RestBox => {
      const box = { x, y, width: boxWidth, height: barHeight };
      x += boxWidth + gap;
      if (item.kind !== 'more') places.set(itemKey(item), box);
      return { ...box, ...boxOf(stall, device, item, long) };
    });
    return { device, y, boxes };
  });
  const right = Math.max(page, ...rows.flatMap(({ boxes }) => boxes.map(({ x, width }) => x + width + 12)));
  return {
    width: right,
    crowded: narrow || ranWidth === 0,
    height: top + 14 + rows.length * pitch,
    gutter,
    ran: { x: gutter, width: ranWidth },
    rest,
    top,
    barHeight,
    rows,
    hidden: { waiting, done },
    arrows: arrowsOf(circle, places),
  };
}

/** −1 for no position. */
export const deviceOfPosition = ({ offsets, devices }: Program, position: number): number =>
  position < 0
    ? -1
    : Array.from({ length: devices }, (_, at) => at).findLastIndex((device) => offsets[device] <= position);

function boxOf(
  stall: Stall,
  device: number,
  item: RestItem,
  long: boolean,
): Pick<RestBox, 'label' | 'kind' | 'inCircle' | 'position'> {
  switch (item.kind) {
    case 'more':
      return {
        label: `… ${item.count.toLocaleString('en-US')}${long ? ' more' : ''}`,
        kind: -1,
        inCircle: false,
        position: -1,
      };
    case 'exchange':
      return { label: exchangeLabel(stall, item.step), kind: 4, inCircle: true, position: -1 };
    case 'operation':
      return {
        label: boxLabel(stall, device, item.position, long),
        kind: paintKindAt(stall.program, item.position),
        inCircle: item.inCircle,
        position: item.position,
      };
  }
}

/** Wide enough for the longest label of the circle, and for `… 400 more`. */
function boxWidthFor(stall: Stall, circle: Circle, devices: readonly number[]): number {
  const { program } = stall;
  const exchanges = circle.some(({ exchange }) => exchange !== undefined);
  const labels = devices.flatMap((device) => {
    const last = program.offsets[device + 1] - 1;
    return last < program.offsets[device] ? [] : [boxLabel(stall, device, last, false)];
  });
  const letters = Math.max(2, ...labels.map((label) => label.length), ...(exchanges ? [7] : []));
  return Math.max(40, Math.round(letters * 7.6) + 12);
}

function arrowsOf(circle: Circle, places: ReadonlyMap<string, Box>): readonly Arrow[] {
  const place = (step: DeadlockStep): Box | undefined => places.get(stepKey(step));
  return circle.flatMap((step, index): Arrow[] => {
    const from = place(step);
    const next = circle[(index + 1) % circle.length];
    const to = place(next);
    if (from === undefined || to === undefined) return [];
    const number = index + 1;
    if (from.y !== to.y) {
      const down = to.y > from.y;
      const [begin, end] = down ? [from.y + from.height, to.y] : [from.y, to.y + to.height];
      return [{ from: [middle(from), begin], to: [middle(to) + (from.x < to.x ? -8 : 8), end], bend: 0, number }];
    }
    // On the side of its row that the other arrows of the circle leave free.
    const around = [circle[(index + circle.length - 1) % circle.length], circle[(index + 2) % circle.length]];
    const others = around.flatMap((other) => place(other) ?? []);
    // Of two that lead there and back in one row, one goes below.
    const above = others.reduce((sum, { y }) => sum + y - from.y, 0) >= 0 && step.because === 'order';
    const edge = above ? from.y : from.y + from.height;
    return [{ from: [middle(from), edge], to: [middle(to), edge], bend: above ? -20 : 20, number }];
  });
}

const middle = ({ x, width }: Box): number => x + width / 2;
