import { iterationTime, time } from '../../engine/basics/quantities.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { element } from '../controls/dom.ts';
import { microbatchOf } from '../picture/blocks.ts';
import { firstEndingAfter, firstStartingFrom } from '../picture/columns.ts';
import type { DrawRequest, DrawnImage } from '../worker/messages.ts';
import { blockColour } from './scene/blockColour.ts';
import { css, labelOn } from './scene/colour.ts';
import { type Loupe, loupeSize } from './scene/loupe.ts';
import { commonEnd, shortened, tellingNumbers, withoutEnd } from './paint/names.ts';
import { type Box, loupePlace } from './scene/loupePlace.ts';
import type { Scene } from './scene/scene.ts';
import { font } from './scene/theme.ts';

/** The pointer, and the tooltip at it: the box keeps away from both. */
export interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly tip: Box | undefined;
}

/** A few devices with real blocks, in a corner over rows that mix theirs. */
export function loupeBox() {
  const title = element('strong');
  const scale = element('span', { class: 'dim' });
  const canvas = element('canvas');
  const head = element('div', { class: 'head' }, title, scale);
  const box = element('div', { class: 'loupe', 'aria-hidden': 'true', hidden: '' }, head, canvas);
  const ink = canvas.getContext('2d');

  function place({ layout, view }: Scene, { x, y, tip }: Pointer): void {
    const rows = { left: layout.left, top: layout.rows.y, width: layout.plot, height: layout.rows.height };
    const row = Math.floor((y - rows.top + view.scroll) / view.rowHeight) * view.rowHeight - view.scroll + rows.top;
    const kept = [...(tip === undefined ? [] : [tip]), { ...rows, top: row, height: view.rowHeight }];
    const [left, top] = loupePlace(box.getBoundingClientRect(), rows, layout.height, { x, y }, kept);
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  /** What it is to show, and the pointer over it. */
  let shown: (Loupe & Pointer) | undefined;

  return {
    element: box,
    hide(): void {
      shown = undefined;
      box.hidden = true;
    },
    /** From the next picture on it shows these devices and times. */
    enlarge(loupe: Loupe, pointer: Pointer): void {
      shown = { ...loupe, ...pointer };
    },
    /** What it needs drawn. */
    requests: (dpr: number): readonly DrawRequest[] => (shown === undefined ? [] : [loupeRequest(shown, dpr)]),
    show(images: readonly DrawnImage[], scene: Scene): void {
      const image = images.find(({ region }) => region === 'loupe');
      if (ink === null || image === undefined || shown === undefined) return;
      const loupe = shown;
      const { dpr, plan, picture } = scene;
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.style.width = `${image.width / dpr}px`;
      canvas.style.height = `${image.height / dpr}px`;
      ink.putImageData(new ImageData(new Uint8ClampedArray(image.buffer), image.width, image.height), 0, 0);
      paintNumbers(ink, scene, loupe);
      const { makespan } = picture.columns;
      scale.textContent = `${time(loupe.t1 - loupe.t0)} of ${iterationTime(makespan)}`;
      const { font: family } = scene.theme;
      ink.font = `12px ${family}`;
      const room = loupeSize.width - headGap - Math.ceil(ink.measureText(scale.textContent).width);
      ink.font = `bold 12px ${family}`;
      title.textContent = loupeTitle(ink, plan, loupe, room);
      box.hidden = false;
      place(scene, loupe);
    },
  };
}

/** Pixels between the names and the scale. */
const headGap = 12;

/** Names of the first and the last device, in this width. */
function loupeTitle(ink: CanvasRenderingContext2D, plan: PipelinePlan, { from, to }: Loupe, width: number): string {
  const [first, last] = [plan.devices[from].name, plan.devices[to - 1].name];
  if (first === last) return shortened(ink, first, commonEnd(plan), width);
  const [node, other] = [first, last].map((name) => name.slice(0, name.lastIndexOf('.') + 1));
  const [end, numbers] = [commonEnd(plan), tellingNumbers(plan)];
  const choices = [
    // The node is said once.
    `${first} – ${node === other ? last.slice(node.length) : last}`,
    `${withoutEnd(first, end)} – ${withoutEnd(last, end)}`,
    ...(numbers.size === 0 ? [] : [`${numbers.get(first) ?? ''} – ${numbers.get(last) ?? ''}`]),
  ];
  const fitting = choices.find((text) => ink.measureText(text).width <= width);
  if (fitting !== undefined) return fitting;
  const each = (width - ink.measureText(' – ').width) / 2;
  return `${shortened(ink, first, end, each)} – ${shortened(ink, last, end, each)}`;
}

function loupeRequest({ from, to, t0, t1 }: Loupe, dpr: number): DrawRequest {
  const row = Math.round(loupeSize.row * dpr);
  return {
    region: 'loupe',
    width: Math.round(loupeSize.width * dpr),
    height: row * (to - from),
    view: {
      t0,
      t1,
      top: from * row,
      rowHeight: row,
      bandTop: Math.round(((loupeSize.row - loupeSize.band) / 2) * dpr),
      bandHeight: Math.round(loupeSize.band * dpr),
      radius: 2,
      notch: 7 * dpr,
      dpr,
    },
  };
}

/** On every block that has the room. */
function paintNumbers(ink: CanvasRenderingContext2D, scene: Scene, { from, to, t0, t1 }: Loupe): void {
  const { picture, theme, dpr } = scene;
  const { columns } = picture;
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.font = font(theme, 11, 600);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  const x = (at: number): number => ((at - t0) / (t1 - t0)) * loupeSize.width;
  for (let device = from; device < to; device += 1) {
    const y = (device - from + 0.5) * loupeSize.row;
    const high = firstStartingFrom(columns, device, t1);
    for (let block = firstEndingAfter(columns, device, t0); block < high; block += 1) {
      if (columns.word[block] < 0) continue;
      const text = String(microbatchOf(picture, block));
      const [left, right] = [x(columns.start[block]), x(columns.end[block])];
      const half = (columns.pair?.[block] ?? 0) === 0 ? 0 : columns.pair?.[block] === 1 ? -6 : 6;
      if (left < 0 || right > loupeSize.width || ink.measureText(text).width > right - left - 4) continue;
      ink.fillStyle = css(labelOn(blockColour(scene, block)));
      ink.fillText(text, (left + right) / 2, y + half);
    }
  }
}
