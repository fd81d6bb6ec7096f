import { groupFigures } from '../../picture/groupFigures.ts';
import { endDevice, firstDevice, groupAtRow, groupOf, isOpen } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, rowY } from './canvas.ts';
import { shortened } from './names.ts';

/** From this width on a name has its figures next to it. */
const roomy = 96;
const caret = { middle: 8, half: 3 };
const nameLeft = 14;

/** The name of a group, or of a device of one that is open, and how busy it is. */
export function paintGroup(ink: Ink, scene: Scene, row: number): void {
  const { layout, theme, view, selection, picture } = scene;
  const { map } = layout;
  const [from, to] = [firstDevice(map, row), endDevice(map, row)];
  const group = groupOf(map, from);
  const head = groupAtRow(map, row);
  const open = group !== undefined && isOpen(map, group);
  const y = rowY(scene, row);
  const middle = y + view.rowHeight / 2;
  if (open) {
    ink.fillStyle = css(theme.foreground, 0.07);
    ink.fillRect(0, y, layout.left - 2, view.rowHeight);
  }
  if (selection?.kind === 'device' && selection.device >= from && selection.device < to) {
    ink.fillStyle = css(theme.focus);
    ink.fillRect(0, y + 1, 3, view.rowHeight - 2);
  }
  const figures = groupFigures(picture.report, from, to);
  const size = view.rowHeight < 14 ? 9 : 11;
  const right = layout.left - 4;
  let room = right - nameLeft;
  ink.textBaseline = 'middle';
  if (layout.left >= roomy) {
    const [least, most] = [Math.round(figures.least * 100), Math.round(figures.most * 100)];
    const same = group?.alike !== true || least === most;
    const text = same ? `${Math.round(figures.mean * 100)} %` : `${least}–${most} %`;
    ink.font = font(theme, size);
    ink.fillStyle = css(theme.dim);
    ink.textAlign = 'right';
    ink.fillText(text, right, middle + 0.5);
    room -= ink.measureText(text).width + 5;
  }
  ink.textAlign = 'left';
  ink.font = font(theme, size, open && head !== undefined ? 700 : 400);
  ink.fillStyle = css(figures.over ? theme.error : theme.foreground);
  const names = namesOf(scene, row, open);
  const name = names.find((text) => ink.measureText(text).width <= room) ?? shortened(ink, names[0], '', room);
  ink.fillText(name, nameLeft, middle + 0.5);
  if (head !== undefined) paintCaret(ink, scene, middle, open);
}

/**
 * Longest first. Of an open group: its name with its first device, then what the names of the others have beyond it. The numbers
 * at the end of a name tell neighbours apart.
 */
function namesOf({ plan, layout: { map } }: Scene, row: number, open: boolean): readonly string[] {
  const device = firstDevice(map, row);
  const group = groupOf(map, device);
  if (group === undefined) return [plan.devices[device].name, numberIn(plan.devices[device].name)];
  const copies = group.alike === true && !open ? ` ×${group.to - group.from}` : '';
  if (!open) return [group.name + copies, numberIn(group.name) + copies, numberIn(group.name)];
  const full = plan.devices[device].name;
  const inNode = full.startsWith(`${group.name}.`);
  const short = inNode ? full.slice(group.name.length + 1) : full;
  return device === group.from && inNode ? [full, group.name, short] : [short, numberIn(short)];
}

/** The numbers at the end of a name: in a narrow page they stand for it. */
export const numberIn = (name: string): string => /[\d–]+(?=\D*$)/.exec(name)?.[0] ?? name;

/** Left of the name of a group. */
export function paintCaret(ink: Ink, { theme }: Scene, y: number, open: boolean): void {
  const { middle, half } = caret;
  ink.fillStyle = css(theme.foreground);
  ink.beginPath();
  if (open) {
    ink.moveTo(middle - half - 0.5, y - half + 1);
    ink.lineTo(middle + half + 0.5, y - half + 1);
    ink.lineTo(middle, y + half);
  } else {
    ink.moveTo(middle - half + 1, y - half - 0.5);
    ink.lineTo(middle + half, y);
    ink.lineTo(middle - half + 1, y + half + 0.5);
  }
  ink.fill();
}

/** The name of the lane of all devices. */
export function paintAll(ink: Ink, { layout, theme }: Scene): void {
  const { y, height } = layout.all;
  const narrow = layout.left < roomy;
  const left = narrow ? 7 : 14;
  ink.textAlign = 'left';
  ink.textBaseline = 'middle';
  ink.font = font(theme, 11, 600);
  ink.fillStyle = css(theme.foreground);
  ink.fillText(narrow ? 'All' : 'All devices', left, y + height / 2 - 7);
  ink.font = font(theme, 10);
  ink.fillStyle = css(theme.dim);
  ink.fillText(narrow ? 'devices' : 'share of time', left, y + height / 2 + 7);
}
