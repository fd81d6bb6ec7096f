import { bytes } from '../../../engine/basics/quantities.ts';
import { firstOverLimit } from '../../picture/memoryLevel.ts';
import { limitColour } from '../scene/limitColour.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, clipped, rowY, rowsInSight } from './canvas.ts';
import { commonEnd, shortened, tellingNumbers, withoutEnd } from './names.ts';
import { numberIn, paintAll, paintCaret, paintGroup } from './groups.ts';
import { groupFigures } from '../../picture/groupFigures.ts';
import { rangeText } from '../../session/figures.ts';
import { endDevice, firstDevice, groupAtRow, groupOf, isOpen } from '../scene/rowMap.ts';

/** From this width on a name and its figures share a line. */
const roomy = 112;

/** Names of the rows with how busy each is and its peak. */
export function paintGutter(ink: Ink, scene: Scene): void {
  const { layout, theme, shape, view } = scene;
  const { map } = layout;
  const [first, last] = rowsInSight(scene);
  if (layout.all.height > 0) paintAll(ink, scene);
  clipped(ink, 0, layout.rows.y, layout.width, layout.rows.height, () => {
    if (map.mixed) for (let row = first; row <= last; row += 1) paintGroup(ink, scene, row);
    else if (shape.names) for (let row = first; row <= last; row += 1) paintName(ink, scene, row);
    else paintGroups(ink, scene, first, last);
    paintScroll(ink, scene);
    if (view.rowHeight < 22) return;
    ink.strokeStyle = css(theme.line);
    ink.lineWidth = 1;
    ink.beginPath();
    for (let row = Math.max(1, first); row <= last + 1; row += 1) {
      const y = Math.round(rowY(scene, row)) - 0.5;
      ink.moveTo(0, y);
      ink.lineTo(layout.width, y);
    }
    ink.stroke();
  });
}

/** Right of rows that do not all fit: which of them are in sight. */
function paintScroll(ink: Ink, { layout, theme, view }: Scene): void {
  const whole = layout.map.rows * view.rowHeight;
  const { y, height } = layout.rows;
  if (whole <= height + 0.5) return;
  const length = Math.max(16, (height / whole) * height);
  const from = y + (view.scroll / (whole - height)) * (height - length);
  ink.fillStyle = css(theme.dim, theme.highContrast ? 1 : 0.6);
  ink.beginPath();
  ink.roundRect(layout.width - 8, from, 4, length, 2);
  ink.fill();
}

/** Under the name of a row: the devices of a group that is open belong together. */
const groupTint = 0.07;

function paintName(ink: Ink, scene: Scene, row: number): void {
  const { layout, theme, view, picture, plan, selection } = scene;
  const { map } = layout;
  const y = rowY(scene, row);
  const [device, end] = [firstDevice(map, row), endDevice(map, row)];
  const group = groupOf(map, device);
  const open = group !== undefined && isOpen(map, group);
  const figures = groupFigures(picture.report, device, end);
  const fullest = picture.report.devices[figures.fullest];
  const over = firstOverLimit(picture.memory[figures.fullest]) !== undefined;
  if (open) {
    ink.fillStyle = css(theme.foreground, groupTint);
    ink.fillRect(0, y, layout.left - 2, view.rowHeight);
  }
  if (selection?.kind === 'device' && selection.device >= device && selection.device < end) {
    ink.fillStyle = css(theme.focus);
    ink.fillRect(0, y + 1, 4, view.rowHeight - 2);
  }
  const narrow = layout.left < roomy;
  const slim = layout.left < 96;
  const [from, right] = slim ? [group === undefined ? 7 : 14, layout.left - 5] : [14, layout.left - 14];
  const tall = view.rowHeight >= 32;
  const size = view.rowHeight < 13 ? 9 : 12;
  const nameFont = font(theme, size, tall ? 600 : 400);
  const full = group === undefined || open ? plan.devices[device].name : group.name;
  // Ranks and devices that share a row run the same operations at the same times: their number is enough.
  const ranks = ranksIn(scene, device, end);
  const telling = group === undefined ? tellingNumbers(plan).get(full) || undefined : undefined;
  // Under this width there is room for numbers only.
  const name = layout.left < 60 ? (telling ?? numberIn(full)) : full;
  const top = tall ? y + 14 : y + view.rowHeight / 2;
  const share = rangeText(...percents(figures.least, figures.most));
  const under = narrow && tall;
  if (group !== undefined && groupAtRow(map, row) !== undefined) paintCaret(ink, scene, top, open);
  ink.textBaseline = 'middle';
  ink.fillStyle = css(theme.dim);
  let room = right - from;
  ink.font = nameFont;
  // The whole name tells devices apart: in a narrow page the number of ranks moves to the line below it.
  const below = under && group === undefined && ink.measureText(name + ranks).width > room;
  // What the names of all devices end in may go.
  const core = withoutEnd(name, commonEnd(plan));
  const ranksWidth = ink.measureText(ranks).width;
  const coreWidth = ink.measureText(core).width;
  const nameWidth = coreWidth + ranksWidth;
  let ranksShown = below || nameWidth <= room || group !== undefined ? ranks : '';
  if (view.rowHeight >= 14 && (under || !narrow)) {
    ink.font = font(theme, 11);
    const long = `${share} busy`;
    const text = !narrow && tall && nameWidth + 8 + ink.measureText(long).width <= room ? long : share;
    const width = ink.measureText(text).width + 6;
    // A whole name says more than the share, which the bar of a tall row shows, too. In a low row the ranks go first.
    const fits = under || group !== undefined || nameWidth + width <= room;
    const shareFits = coreWidth + width <= room && (!tall || nameWidth > room);
    if (!fits && shareFits) ranksShown = '';
    if (fits || shareFits) {
      ink.textAlign = under ? 'left' : 'right';
      ink.fillText(below ? text + ranks : text, under ? from : right, under ? y + 29 : top);
      if (!under) room -= width;
    }
  }
  ink.textAlign = 'left';
  ink.fillStyle = css(over ? theme.error : theme.foreground);
  ink.font = nameFont;
  const left = below || ranksShown === '' ? room : room - ranksWidth;
  // The numbers tell groups apart, and the devices of an open one.
  const brief = group !== undefined && ink.measureText(name).width > left ? numberIn(name) : name;
  const shown = shortened(ink, brief, commonEnd(plan), left, telling);
  ink.fillText(shown, from, top);
  if (ranksShown !== '' && !below) {
    const after = from + ink.measureText(shown).width;
    ink.fillStyle = css(theme.dim);
    ink.fillText(ranksShown, after, top);
  }
  if (!tall || slim) return;
  const bar = under ? y + 38 : y + 24;
  if (bar + 4 > y + view.rowHeight) return;
  ink.fillStyle = css(theme.line);
  ink.fillRect(from, bar, right - from, 2);
  ink.fillStyle = css(theme.dim);
  ink.fillRect(from, bar, (right - from) * Math.min(1, figures.mean), 2);
  // A lane of transfers holds nothing.
  if (figures.mostPeak === 0 || view.rowHeight < bar - y + 22) return;
  const foot = Math.min(bar + 14, y + view.rowHeight - 8);
  const colour = limitColour(theme, fullest.peak, fullest.capacity);
  ink.fillStyle = css(colour);
  ink.font = font(theme, 11, colour === theme.dim ? 400 : 700);
  ink.textAlign = 'right';
  const amount = plan.unitTimes === true ? String : bytes;
  const peak = `${over ? '! ' : ''}${rangeText(amount(figures.leastPeak), amount(figures.mostPeak))}`;
  ink.fillText(peak, right, foot);
  if (ink.measureText(peak).width + 36 > right - from) return;
  ink.font = font(theme, 11);
  ink.fillStyle = css(theme.dim);
  ink.textAlign = 'left';
  ink.fillText('peak', from, foot);
}

/** ` ×8`: ranks of the devices of a row; empty for a single one. */
function ranksIn({ plan }: Scene, from: number, to: number): string {
  let ranks = 0;
  for (let device = from; device < to; device += 1) ranks += plan.devices[device].members ?? 1;
  return ranks > 1 ? ` ×${ranks}` : '';
}

const percents = (least: number, most: number): readonly [string, string] => [
  `${Math.round(least * 100)} %`,
  `${Math.round(most * 100)} %`,
];

/** Rows too thin for a name each: a name for each group of rows. */
function paintGroups(ink: Ink, scene: Scene, first: number, last: number): void {
  const { theme, view, plan } = scene;
  ink.font = font(theme, 11);
  ink.fillStyle = css(theme.dim);
  ink.textAlign = 'left';
  ink.textBaseline = 'top';
  const every = 2 ** Math.ceil(Math.log2(Math.max(1, 28 / view.rowHeight)));
  for (let row = Math.floor(first / every) * every; row <= last; row += every) {
    ink.fillText(
      shortened(ink, plan.devices[firstDevice(scene.layout.map, row)].name, commonEnd(plan), scene.layout.left - 28),
      14,
      rowY(scene, row),
    );
  }
}
