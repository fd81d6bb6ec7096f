import { time } from '../../../engine/basics/quantities.ts';
import { type Columns, firstEndingAfter, firstStartingFrom, kindTransfer, kindWeight } from '../../picture/columns.ts';
import type { WorkerLane } from '../../picture/jobLanes.ts';
import { labelAt, labelKind, labelSizes, labelledPart, labelsAt } from '../../picture/labels.ts';
import { type Rgb, css, labelOn } from '../scene/colour.ts';
import { headingTops, jobHeading, jobRuler, nameRoom, type JobScene } from '../scene/jobScene.ts';
import { font } from '../scene/theme.ts';
import { type Ink, clipped, hatch } from './canvas.ts';
import { ticks } from './ruler.ts';

const leastDuration = 54;
/** Blocks thinner than this are mixed: the colour of a pixel is the mean of what runs in it. */
const leastBlock = 2;

/** Every worker of a job: a heading with its waits and exchanges, then a row for each device; over all of them the global clock. */
export function paintJobLanes(ink: Ink, scene: JobScene): void {
  const { lanes, theme, width, height, dpr } = scene;
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.fillStyle = css(theme.background);
  ink.fillRect(0, 0, width, height);
  if (!(scene.t1 > scene.t0)) return;
  paintAxis(ink, scene);
  headingTops(scene).forEach((top, index) => {
    const worker = lanes.workers[index];
    paintNames(ink, scene, worker, top);
    clipped(ink, scene.left, top, scene.plot, height, () => {
      paintServers(ink, scene, worker, top);
      for (let row = 0; row < worker.columns.rows; row += 1)
        paintRow(ink, scene, worker, row, top + jobHeading + row * scene.rowHeight);
    });
  });
  clipped(ink, scene.left, 0, scene.plot, height, () => paintClock(ink, scene));
}

const x = ({ left, plot, t0, t1 }: JobScene, seconds: number): number => left + ((seconds - t0) / (t1 - t0)) * plot;

function paintAxis(ink: Ink, scene: JobScene): void {
  const { theme, plot, height } = scene;
  ink.font = font(theme, 11);
  ink.textBaseline = 'middle';
  ink.textAlign = 'center';
  for (const { at, text } of ticks(scene.t0, scene.t1, plot)) {
    const tick = Math.round(x(scene, at)) + 0.5;
    ink.fillStyle = css(theme.dim);
    ink.fillText(text, Math.min(tick, scene.width - ink.measureText(text).width / 2 - 2), jobRuler / 2);
    ink.fillStyle = css(theme.line);
    ink.fillRect(tick, jobRuler - 4, 1, height - jobRuler + 4);
  }
}

/** A dotted line whenever every worker has given the servers one more wave. */
function paintClock(ink: Ink, scene: JobScene): void {
  const { theme, lanes, plot, height } = scene;
  const inSight = lanes.clock.filter((at) => at >= scene.t0 && at <= scene.t1);
  if (inSight.length > plot / 6) return;
  ink.strokeStyle = css(theme.foreground, theme.highContrast ? 1 : 0.7);
  ink.lineWidth = 1;
  ink.setLineDash([2, 3]);
  ink.beginPath();
  for (const at of inSight) {
    ink.moveTo(Math.round(x(scene, at)) - 0.5, jobRuler);
    ink.lineTo(Math.round(x(scene, at)) - 0.5, height);
  }
  ink.stroke();
  ink.setLineDash([]);
}

function paintNames(ink: Ink, scene: JobScene, worker: WorkerLane, top: number): void {
  const { theme, rowHeight } = scene;
  const room = nameRoom(scene.left);
  ink.textAlign = 'left';
  ink.textBaseline = 'middle';
  ink.font = font(theme, 12, 700);
  ink.fillStyle = css(theme.foreground);
  ink.fillText(shortened(ink, worker.name, room.worker.width), room.worker.x, top + jobHeading / 2);
  ink.font = font(theme, rowHeight < 12 ? 9 : 11);
  ink.fillStyle = css(theme.dim);
  worker.devices.forEach((device, row) =>
    ink.fillText(shortened(ink, device, room.device.width), room.device.x, top + jobHeading + (row + 0.5) * rowHeight),
  );
}

/** When a worker is held back, and its exchanges with the servers. */
function paintServers(ink: Ink, scene: JobScene, worker: WorkerLane, top: number): void {
  const { theme, t0, t1, dpr } = scene;
  ink.textBaseline = 'middle';
  ink.fillStyle = css(theme.kinds[kindTransfer]);
  for (const exchanges of [worker.pushes, worker.pulls])
    inSight(exchanges, t0, t1, (from, until) =>
      ink.fillRect(x(scene, from), top + jobHeading - 4, Math.max(1, x(scene, until) - x(scene, from)), 3),
    );
  inSight(worker.waits, t0, t1, (from, until) => {
    const begin = x(scene, from);
    const length = Math.max(1, x(scene, until) - begin);
    ink.fillStyle = hatch(ink, theme.warning, 0.8, 5, 1.4, dpr);
    ink.fillRect(begin, top + 5, length, jobHeading - 11);
    ink.strokeStyle = css(theme.warning);
    ink.lineWidth = 1;
    ink.strokeRect(begin + 0.5, top + 5.5, Math.max(0, length - 1), jobHeading - 12);
    const text = `waits ${time(until - from)}`;
    ink.font = font(theme, 10);
    const width = ink.measureText(text).width + 8;
    if (length < Math.max(leastDuration, width + 4)) return;
    ink.fillStyle = css(theme.background);
    ink.fillRect(begin + (length - width) / 2, top + 7, width, jobHeading - 15);
    ink.fillStyle = css(theme.foreground);
    ink.textAlign = 'center';
    ink.fillText(text, begin + length / 2, top + jobHeading / 2);
  });
}

function inSight(pairs: Float64Array, t0: number, t1: number, paint: (from: number, until: number) => void): void {
  for (let at = 0; at + 1 < pairs.length; at += 2)
    if (pairs[at + 1] >= t0 && pairs[at] <= t1) paint(pairs[at], pairs[at + 1]);
}

function paintRow(ink: Ink, scene: JobScene, worker: WorkerLane, row: number, top: number): void {
  const { theme, left, plot, rowHeight } = scene;
  const height = rowHeight - 2;
  ink.strokeStyle = css(theme.line);
  ink.lineWidth = 1;
  ink.strokeRect(left + 0.5, top + 0.5, plot - 1, height - 1);
  const low = firstEndingAfter(worker.columns, row, scene.t0);
  const high = firstStartingFrom(worker.columns, row, scene.t1);
  const blocks = { columns: worker.columns, row, low, high };
  if (high - low > plot / leastBlock) paintMixed(ink, scene, blocks, top, height);
  else paintBlocks(ink, scene, blocks, top, height);
}

/** Blocks of a row that are in sight: from, to (exclusive). */
interface RowBlocks {
  readonly columns: Columns;
  readonly row: number;
  readonly low: number;
  readonly high: number;
}

function paintBlocks(
  ink: Ink,
  scene: JobScene,
  { columns, row, low, high }: RowBlocks,
  top: number,
  height: number,
): void {
  const { theme, plot } = scene;
  const { start, end, word, parts, shift, stages } = columns;
  const labels = labelsAt(columns, plot / (scene.t1 - scene.t0), height - 4);
  ink.font = font(theme, labels.size || labelSizes[0], 600);
  ink.textAlign = 'center';
  for (let block = low; block < high; block += 1) {
    const of = word[block] >> shift;
    const from = Math.round(x(scene, start[block]));
    const to = Math.round(x(scene, end[block]));
    const width = to - from >= 4 ? to - from - 1 : Math.max(1, to - from);
    const kind = parts.main[of];
    ink.fillStyle = css(theme.kinds[kind]);
    ink.fillRect(from, top, width, height);
    if (parts.weight[of] < 1) {
      ink.fillStyle = css(theme.kinds[kindWeight]);
      ink.fillRect(from + width * parts.weight[of], top, width * (1 - parts.weight[of]), height);
    }
    if (labels.shown[labelAt(columns, row, block, labelKind(Math.trunc(of / stages)))] !== 1) continue;
    const [begin, until] = labelledPart(columns, block);
    ink.fillStyle = css(labelOn(theme.kinds[kind]));
    ink.fillText(
      String(word[block] & ((1 << shift) - 1)),
      (x(scene, begin) + x(scene, until)) / 2,
      top + height / 2 + 0.5,
    );
  }
}

/** Many blocks in each pixel: their colours in linear light, by their share of its time. */
function paintMixed(ink: Ink, scene: JobScene, { columns, low, high }: RowBlocks, top: number, height: number): void {
  const { theme, plot, t0, t1 } = scene;
  const { start, end, word, parts, shift } = columns;
  const count = Math.ceil(plot);
  const colours = theme.kinds.length;
  const shares = new Float32Array(count * colours);
  const add = (kind: number, from: number, to: number): void => {
    for (let pixel = Math.floor(from); pixel < Math.min(count, to); pixel += 1)
      shares[pixel * colours + kind] += Math.min(to, pixel + 1) - Math.max(from, pixel);
  };
  const scale = plot / (t1 - t0);
  for (let block = low; block < high; block += 1) {
    const of = word[block] >> shift;
    const from = Math.max(0, (start[block] - t0) * scale);
    const to = (end[block] - t0) * scale;
    const between = from + (to - from) * parts.weight[of];
    add(parts.main[of], from, between);
    if (between < to) add(kindWeight, between, to);
  }
  for (let pixel = 0; pixel < count; pixel += 1) {
    ink.fillStyle = css(mixed(theme.background, theme.kinds, shares.subarray(pixel * colours, (pixel + 1) * colours)));
    ink.fillRect(scene.left + pixel, top, 1, height);
  }
}

function mixed(ground: Rgb, colours: readonly Rgb[], shares: Float32Array): Rgb {
  const idle = Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0));
  const part = (at: 0 | 1 | 2): number => {
    let light = idle * ground[at] ** 2.2;
    shares.forEach((share, kind) => (light += share * colours[kind][at] ** 2.2));
    return Math.round(Math.min(255, light ** (1 / 2.2)));
  };
  return [part(0), part(1), part(2)];
}

function shortened(ink: Ink, name: string, width: number): string {
  let text = name;
  while (text.length > 1 && ink.measureText(text === name ? text : `…${text}`).width > width) text = text.slice(1);
  return text === name ? name : `…${text}`;
}
