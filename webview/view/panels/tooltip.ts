import { css } from '../scene/colour.ts';
import { element } from '../../controls/dom.ts';
import type { Scene } from '../scene/scene.ts';
import { stageOf } from '../../picture/blocks.ts';
import { targetDetails } from './details.ts';
import type { Target } from '../../session/selection.ts';

/** A line that comes once it is simulated. */
const fasterKey = ({ picture, faster }: Scene, target: Target): string =>
  target.kind === 'block' ? String(faster(stageOf(picture, target.block))) : '';

/** What is under the pointer. The same text is in the detail bar once it is selected. */
export function tooltip() {
  const box = element('div', { class: 'tooltip', role: 'tooltip', hidden: '' });
  let shown: string | undefined;
  function show(scene: Scene, target: Target, x: number, y: number): void {
    const key = `${scene.picture.generation} ${target.kind === 'block' ? target.block : `gap ${target.gap.device} ${target.gap.from}`} ${fasterKey(scene, target)}`;
    if (key !== shown) {
      shown = key;
      const { title, kind, lines } = targetDetails(scene, target);
      const swatch = element('i', { class: 'swatch' });
      if (kind === undefined) swatch.classList.add('idle');
      else swatch.style.backgroundColor = css(scene.theme.kinds[kind]);
      const list = element('dl');
      for (const [label, value] of lines) list.append(element('dt', {}, label), element('dd', {}, value));
      const foot =
        target.kind === 'block' ? [element('div', { class: 'foot' }, 'Click to show the line, Enter to go there')] : [];
      box.replaceChildren(element('div', { class: 'head' }, swatch, element('strong', {}, title)), list, ...foot);
    }
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = x + 16 + width > scene.layout.width ? Math.max(4, x - width - 12) : x + 16;
    const top = Math.max(4, Math.min(scene.layout.height - height - 4, y + 18));
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
  return {
    element: box,
    show,
    hide(): void {
      box.hidden = true;
    },
  };
}
