import { deviceOf } from '../../picture/blocks.ts';
import { pieceAt } from '../../picture/lanes.ts';
import type { Why, WhyStep } from '../../picture/why.ts';
import type { PieceTarget } from '../../session/selection.ts';
import { rowOf } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type BadgePlace, badgePlaces, badgeRadius, underBlocks } from './badgePlaces.ts';
import { type Ink, blockEdges, clipped, deviceY, timeX } from './canvas.ts';
import { type Frame, paintRing, paintRingAround, targetBox } from './rings.ts';

/** How much of all else stays to be seen. */
const rest = 0.22;
const restInHighContrast = 0.6;

interface Point {
  readonly x: number;
  readonly device: number;
  /** On the lane under the blocks of the device. */
  readonly onLane?: boolean;
}

/** The chain of causes of a gap: its blocks in full colour, everything else faded, and numbered arrows that point back. */
export function paintChain(ink: Ink, scene: Scene): void {
  const { why, layout } = scene;
  if (why === undefined) return;
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => fade(ink, scene, why));
  clipped(ink, layout.left - 3, layout.rows.y - 2, layout.plot + 6, layout.rows.height + 4, () => {
    for (const block of chainBlocks(why)) paintRing(ink, scene, { kind: 'block', block });
    for (const box of laneBoxes(scene, why)) paintRingAround(ink, scene, box);
    const { device, from, to } = why;
    paintRing(ink, scene, { kind: 'gap', gap: { device, from, to, before: -1 } });
    paintArrows(ink, scene, why);
  });
}

const chainBlocks = ({ steps }: Why): readonly number[] => [
  ...new Set(steps.flatMap(({ block }) => (block < 0 ? [] : [block]))),
];

/** What a lane carries in a step: the gradients that are waited for, or those that keep the lane busy. */
function pieceOf({ picture: { lanes }, shape }: Scene, { block, device, from, to }: WhyStep): PieceTarget | undefined {
  if (lanes === undefined || block >= 0 || !(to > from)) return undefined;
  for (let leg = 0; leg < shape.legs; leg += 1) {
    const piece = pieceAt(lanes, device, leg, (from + to) / 2);
    if (piece !== undefined) return { kind: 'piece', device, piece };
  }
  return undefined;
}

/** On the lane, all pieces of a step; undefined if they are out of sight. */
function laneBox(scene: Scene, step: WhyStep): Frame | undefined {
  const piece = pieceOf(scene, step);
  const box = piece === undefined ? undefined : targetBox(scene, piece);
  if (box === undefined) return undefined;
  const { left, plot } = scene.layout;
  const from = Math.max(left - 40, Math.min(box.left, timeX(scene, step.from)));
  const to = Math.min(left + plot + 40, Math.max(box.left + box.width, timeX(scene, step.to) - 1));
  return { ...box, left: from, width: to - from };
}

const laneBoxes = (scene: Scene, { steps }: Why): readonly Frame[] =>
  steps.flatMap((step) => laneBox(scene, step) ?? []);

function fade(ink: Ink, scene: Scene, why: Why): void {
  const { layout, theme, picture, shape } = scene;
  ink.fillStyle = css(theme.background, 1 - (theme.highContrast ? restInHighContrast : rest));
  ink.beginPath();
  ink.rect(layout.left, layout.rows.y, layout.plot, layout.rows.height);
  for (const block of chainBlocks(why)) {
    const [left, right] = blockEdges(scene, block);
    const top = deviceY(scene, deviceOf(picture, block)) + shape.bandTop;
    ink.rect(left, top, right - left, Math.max(1, shape.bandHeight));
  }
  for (const { left, top, width, height } of laneBoxes(scene, why)) ink.rect(left, top, width, height);
  const gap = timeX(scene, why.from);
  ink.rect(
    gap,
    deviceY(scene, why.device) + shape.bandTop,
    timeX(scene, why.to) - gap - 1,
    Math.max(1, shape.bandHeight),
  );
  ink.fill('evenodd');
}

function paintArrows(ink: Ink, scene: Scene, why: Why): void {
  const { picture, layout } = scene;
  const { start, end } = picture.columns;
  const wanted: BadgePlace[] = [];
  let at: Point = { x: timeX(scene, why.to), device: why.device };
  for (const step of why.steps) {
    const { block, device, work, from, to } = step;
    const box = laneBox(scene, step);
    if (box !== undefined) {
      // Pieces of one lane follow one another: their numbers say enough.
      const x = Math.max(box.left, Math.min(box.left + box.width, at.x));
      if (at.onLane !== true) paintLaneArrow(ink, scene, at, x, box.top);
      wanted.push({ x: box.left + box.width / 2, y: box.top + box.height / 2 });
      at = { x: box.left, device, onLane: true };
      continue;
    }
    const on = block < 0 ? device : deviceOf(picture, block);
    const target: Point = { x: timeX(scene, block < 0 ? to : end[block]), device: on };
    if (at.onLane === true && at.device === on) {
      const x = timeX(scene, work === 0 ? to : end[block]);
      const foot = deviceY(scene, on) + scene.shape.exchangeTop;
      wanted.push(paintLaneArrow(ink, scene, { x, device: on }, at.x, foot, true));
    } else wanted.push(paintArrow(ink, scene, at, target));
    at = { x: timeX(scene, block < 0 || work === 0 ? Math.min(from, to) : start[block]), device: on };
  }
  const area = {
    left: layout.left + badgeRadius,
    right: layout.left + layout.plot - badgeRadius,
    top: layout.rows.y + badgeRadius,
    bottom: layout.rows.y + layout.rows.height - badgeRadius,
  };
  for (const [index, place] of badgePlaces(wanted, area).entries()) paintBadge(ink, scene, place, index + 1);
}

function paintBadge(ink: Ink, { theme }: Scene, { x, y }: BadgePlace, number: number): void {
  ink.fillStyle = css(theme.ring);
  ink.strokeStyle = css(theme.background);
  ink.lineWidth = 1.5;
  ink.beginPath();
  ink.arc(x, y, badgeRadius, 0, 2 * Math.PI);
  ink.fill();
  ink.stroke();
  // Two digits fit into the badge, too.
  ink.font = font(theme, number < 10 ? 10 : 8.5, 700);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.fillStyle = css(theme.background);
  ink.fillText(String(number), x, y + 0.5);
}

/** Between rows, from edge to edge; on one row a short one under it. Returns where its number goes. */
function paintArrow(ink: Ink, scene: Scene, from: Point, to: Point): BadgePlace {
  const { shape, view, layout } = scene;
  const [before, after] = [rowOf(layout.map, from.device), rowOf(layout.map, to.device)];
  const top = deviceY(scene, from.device) + shape.bandTop;
  const goal = deviceY(scene, to.device) + shape.bandTop;
  const down = after > before;
  const same = after === before;
  const under = underBlocks(view.rowHeight, shape, layout.rows.y + layout.rows.height - goal);
  const [x0, y0] = [
    same ? Math.max(from.x, to.x + 20) : from.x,
    top + (same ? under : down ? shape.bandHeight + 1 : -1),
  ];
  const [x1, y1] = [to.x, goal + (same ? under : down ? -1 : shape.bandHeight + 1)];
  stroke(ink, 4.5, css(scene.theme.background), x0, y0, x1, y1);
  stroke(ink, 1.8, css(scene.theme.ring), x0, y0, x1, y1);
  return same ? { x: x0, y: y0 } : { x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
}

/** Between the blocks of a device at `from` and its lane. `up`: to the blocks. Returns where its number goes. */
function paintLaneArrow(ink: Ink, scene: Scene, from: Point, x: number, top: number, up = false): BadgePlace {
  const foot = deviceY(scene, from.device) + scene.shape.bandTop + scene.shape.bandHeight + 1;
  const [x0, y0, x1, y1] = up ? [x, top, from.x, foot] : [from.x, foot, x, top];
  stroke(ink, 4.5, css(scene.theme.background), x0, y0, x1, y1);
  stroke(ink, 1.8, css(scene.theme.ring), x0, y0, x1, y1);
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
}

function stroke(ink: Ink, width: number, colour: string, x0: number, y0: number, x1: number, y1: number): void {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const head = 5 + width / 2;
  ink.strokeStyle = colour;
  ink.fillStyle = colour;
  ink.lineWidth = width;
  ink.beginPath();
  ink.moveTo(x0, y0);
  ink.lineTo(x1 - Math.cos(angle) * head, y1 - Math.sin(angle) * head);
  ink.stroke();
  ink.beginPath();
  ink.moveTo(x1, y1);
  for (const side of [-0.45, 0.45])
    ink.lineTo(x1 - Math.cos(angle + side) * (head + 3), y1 - Math.sin(angle + side) * (head + 3));
  ink.fill();
}
