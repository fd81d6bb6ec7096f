import { element } from '../../controls/dom.ts';
import { stagesOn } from '../../../engine/basics/stagesOn.ts';
import type { Scene } from '../scene/scene.ts';
import { rowOf } from '../scene/rowMap.ts';
import type { Box } from '../scene/loupePlace.ts';
import { tipPlace, type Span } from '../scene/tipPlace.ts';
import { deviceOf, stageOf } from '../../picture/blocks.ts';
import { type Pointed, selectedDevice } from '../../session/selection.ts';
import { pointedDetails } from './details.ts';
import { paintPieceSwatch, paintSwatch } from './swatch.ts';

/** What the tooltip is about. */
function keyOf(pointed: Pointed): string {
  if (pointed.kind === 'block') return `block ${pointed.block}`;
  if (pointed.kind === 'piece') return `piece ${Object.values(pointed.piece).join(' ')} ${pointed.device}`;
  if (pointed.kind === 'gap') return `gap ${pointed.gap.device} ${pointed.gap.from}`;
  return pointed.kind === 'device' ? `device ${pointed.device}` : `group ${pointed.group.name}`;
}

/** Lines that come once they are simulated, or once the editor has answered. */
function laterKey({ plan, picture, sensitivity, origin }: Scene, pointed: Pointed): string {
  const isKnown = (stage: number) => sensitivity(stage) !== undefined;
  if (pointed.kind === 'block') return `${isKnown(stageOf(picture, pointed.block))} ${origin(pointed.block).length}`;
  return pointed.kind === 'device' ? stagesOn(plan.placement, pointed.device).map(isKnown).join() : '';
}

const feet: Readonly<Record<Pointed['kind'], string>> = {
  block: 'Click to show the line, Enter to go there',
  gap: '',
  piece: 'Click to show the line of the layer',
  device: 'Click to select it, I for its details',
  group: 'Click the caret or press G to open or close it',
};

/** The rows of the selected device and of the pointer, which stay in sight. */
function keptRows({ selection, picture, layout, view }: Scene, pointed: Pointed): readonly Span[] {
  const selected = selectedDevice(selection, (block) => deviceOf(picture, block));
  const under =
    pointed.kind === 'group' ? pointed.group.from : selectedDevice(pointed, (block) => deviceOf(picture, block));
  return [selected, under]
    .filter((device) => device >= 0)
    .map((device) => {
      const top = layout.rows.y + rowOf(layout.map, device) * view.rowHeight - view.scroll;
      return { from: top, to: top + view.rowHeight };
    });
}

/**
 * What is under the pointer. The same text is in the detail bar once it is selected. A key and a click close it: it comes back
 * once the pointer is at something else.
 */
export function tooltip() {
  const box = element('div', { class: 'tooltip', role: 'tooltip', hidden: '' });
  let shown: string | undefined;
  /** What the tooltip was about when it was closed. */
  let closed: string | undefined;
  /** Its place, if it is shown. */
  let place: Box | undefined;
  /** What it is about now. */
  let about: string | undefined;

  function close(): void {
    if (box.hidden) return;
    closed = about;
    box.hidden = true;
  }
  for (const type of ['keydown', 'pointerdown']) document.addEventListener(type, close, true);
  // The blocks move under the pointer.
  document.addEventListener('wheel', () => void (box.hidden = true), { capture: true, passive: true });

  function fill(scene: Scene, pointed: Pointed): void {
    const { title, kind, marks = 0, lines } = pointedDetails(scene, pointed);
    const swatch = element('i', { class: 'swatch' });
    if (pointed.kind === 'piece') paintPieceSwatch(swatch, scene, pointed.piece);
    else if (kind === undefined) swatch.classList.add('idle');
    else paintSwatch(swatch, scene.theme, kind, marks);
    const swatches = pointed.kind === 'device' || pointed.kind === 'group' ? [] : [swatch];
    const list = element('dl');
    for (const [label, value] of lines) list.append(element('dt', {}, label), element('dd', {}, value));
    const foot = feet[pointed.kind];
    box.replaceChildren(
      element('div', { class: 'head' }, ...swatches, element('strong', {}, title)),
      list,
      ...(foot === '' ? [] : [element('div', { class: 'foot' }, foot)]),
    );
  }

  return {
    element: box,
    /** Its place; undefined while it is closed. */
    place: (): Box | undefined => (box.hidden ? undefined : place),
    show(scene: Scene, pointed: Pointed, x: number, y: number): void {
      about = keyOf(pointed);
      if (about === closed) return;
      closed = undefined;
      const key = `${scene.picture.generation} ${about} ${laterKey(scene, pointed)}`;
      if (key !== shown) fill(scene, pointed);
      shown = key;
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      const [left, top] = tipPlace({ width, height }, scene.layout, { x, y }, keptRows(scene, pointed));
      place = { left, top, width, height };
      box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },
    /** The pointer is at nothing. */
    hide(): void {
      closed = undefined;
      box.hidden = true;
    },
  };
}
