import { deviceOf, microbatchOf } from '../../picture/blocks.ts';
import { areBlocksDrawn } from '../../picture/levelOfDetail.ts';
import { type PathLink, microbatchPath } from '../../picture/microbatchPath.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, blockEdges, clipped, deviceY, hasBlocks } from './canvas.ts';

/** Shares of a block's height at which lines cross it: over and under the number. */
const heights = { forward: 0.16, backward: 0.84 } as const;
const lineWidth = 1.4;
/** Pixels of background on both sides of the line. */
const halo = 1.2;
const head = { length: 6, width: 3.2 };
/** Blocks lower than this have no room for a line. */
const leastBand = 8;
/** Blocks lower than this have room for a line along their edges only, without background around it: it would cover the number. */
const leastInside = 20;

/**
 * The path of the hovered microbatch through the devices, or of the selected one: a solid line along its forwards, a dashed one along
 * its backwards. Each has a tip at every device that it reaches.
 */
export function paintMicrobatchPath(ink: Ink, scene: Scene): void {
  const { picture, layout, view, shape } = scene;
  const block = pathBlock(scene);
  const secondsPerPixel = (view.t1 - view.t0) / layout.plot;
  if (block < 0 || shape.bandHeight < leastBand || !areBlocksDrawn(picture.columns, secondsPerPixel)) return;
  const { forward, backward } = microbatchPath(picture, microbatchOf(picture, block));
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    paintLine(ink, scene, backward, 'backward');
    paintLine(ink, scene, forward, 'forward');
  });
}

/** A chain of causes is about other operations; −1 for none. */
function pathBlock({ hovered, selection, why }: Scene): number {
  if (why !== undefined) return -1;
  if (hovered?.kind === 'block') return hovered.block;
  return selection?.kind === 'block' ? selection.block : -1;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function paintLine(ink: Ink, scene: Scene, links: readonly PathLink[], direction: keyof typeof heights): void {
  const { picture, shape, theme } = scene;
  const drawn = links.filter((link) =>
    [link.from, link.to].every((block) => hasBlocks(scene, deviceOf(picture, block))),
  );
  if (drawn.length === 0) return;
  const isLow = shape.bandHeight < leastInside;
  const height = isLow
    ? Math.round(heights[direction]) * (shape.bandHeight - 1)
    : shape.bandHeight * heights[direction];
  const yOf = (block: number): number =>
    Math.round(deviceY(scene, deviceOf(picture, block)) + shape.bandTop + height) + 0.5;
  const across = new Path2D();
  const between = new Path2D();
  // The tips are the path of the canvas: the others leave it as it is.
  ink.beginPath();
  for (const block of new Set(drawn.flatMap(({ from, to }) => [from, to]))) {
    const [left, right] = blockEdges(scene, block);
    across.moveTo(left, yOf(block));
    across.lineTo(right, yOf(block));
  }
  for (const { from, to } of drawn) {
    const leave: Point = { x: blockEdges(scene, from)[1], y: yOf(from) };
    const reach: Point = { x: blockEdges(scene, to)[0], y: yOf(to) };
    between.moveTo(leave.x, leave.y);
    between.lineTo(reach.x, reach.y);
    if (deviceOf(picture, from) !== deviceOf(picture, to)) addTip(ink, leave, reach);
  }
  ink.lineJoin = 'round';
  ink.strokeStyle = css(theme.background);
  ink.lineWidth = lineWidth + 2 * halo;
  if (!isLow) ink.stroke(across);
  ink.stroke(between);
  ink.lineWidth = 2 * halo;
  ink.stroke();
  ink.strokeStyle = css(theme.ring);
  ink.fillStyle = css(theme.ring);
  ink.lineWidth = lineWidth;
  if (direction === 'backward') ink.setLineDash([4, 2.5]);
  ink.stroke(across);
  ink.stroke(between);
  ink.setLineDash([]);
  ink.fill();
}

/** A triangle whose tip is at `reach`. */
function addTip(tips: Ink, leave: Point, reach: Point): void {
  const angle = Math.atan2(reach.y - leave.y, reach.x - leave.x);
  const corner = (side: number): readonly [number, number] => [
    reach.x - head.length * Math.cos(angle) + side * head.width * Math.sin(angle),
    reach.y - head.length * Math.sin(angle) - side * head.width * Math.cos(angle),
  ];
  tips.moveTo(reach.x, reach.y);
  tips.lineTo(...corner(1));
  tips.lineTo(...corner(-1));
  tips.closePath();
}
