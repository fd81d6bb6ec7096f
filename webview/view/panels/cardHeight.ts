import { element } from '../../controls/dom.ts';
import { typeOf } from '../../picture/blocks.ts';
import type { Picture } from '../../picture/picture.ts';
import type { Scene } from '../scene/scene.ts';

/** Pixels: the style sheet has less for low and for wide pages. */
const tallest = 220;
/** Blocks of a device that are looked at: a long timeline has blocks of every type among them. */
const mostBlocks = 512;

/** Figures as long as any. */
const sampleRow: Scene['sensitivity'] = () => ({ name: '', slower: 0.1234, faster: 0.1234, slack: 0.1234 });

/** Blocks of every type on the first, the middle and the last device: what the details of any block look like. */
function sampleBlocks(picture: Picture): readonly number[] {
  const { offsets, rows } = picture.columns;
  const devices = new Set([0, rows >> 1, Math.max(0, rows - 1)]);
  const found = new Map<string, number>();
  for (const device of devices) {
    const from = offsets[device];
    for (let block = from; block < Math.min(offsets[device + 1], from + mostBlocks); block += 1)
      found.set(`${device} ${typeOf(picture, block)} ${block === from}`, block);
  }
  return [...found.values()];
}

/**
 * Keeps a card as high as the details of any block of a timeline need, whatever is selected: the room that is left belongs to the
 * rows. `facts`: the details of a selection. `buttons`: under them.
 */
export function cardHeight(
  bar: HTMLElement,
  card: HTMLElement,
  facts: (scene: Scene) => readonly HTMLElement[],
  buttons: HTMLElement,
) {
  let measured = '';
  let width = 0;
  let height = 0;

  /** Where nothing is seen of it. */
  function heightOf(scene: Scene, block: number): number {
    const foot = element('div', { class: buttons.className });
    // A row of buttons, also if the selection has none.
    foot.append(...Array.from(buttons.children, (child) => child.cloneNode(true)));
    for (const child of Array.from(foot.children).slice(0, 2)) child.removeAttribute('hidden');
    const selection = { kind: 'block', block } as const;
    // Figures that come later have their line.
    const sample = facts({ ...scene, selection, sensitivity: sampleRow });
    const probe = element('div', { class: 'card probe', 'aria-hidden': 'true', inert: '' }, ...sample, foot);
    bar.append(probe);
    const needed = probe.offsetHeight;
    probe.remove();
    return needed;
  }

  return {
    /** After the card was opened, and whenever its content may be of another timeline. It does not shrink while it is open. */
    update(scene: Scene): void {
      if (card.hidden || bar.clientWidth === 0) return;
      const key = `${scene.picture.generation} ${bar.clientWidth}`;
      if (key === measured) return;
      measured = key;
      if (bar.clientWidth !== width) height = 0;
      width = bar.clientWidth;
      // Opened for a device: its tables take all that there is.
      if (height === 0 && scene.selection?.kind === 'device') height = tallest;
      if (height < tallest)
        for (const block of sampleBlocks(scene.picture)) height = Math.max(height, heightOf(scene, block));
      card.style.height = height === 0 ? '' : `${height}px`;
    },
    /** The card is closed: next time it is as high as it needs to be then. */
    forget(): void {
      measured = '';
      height = 0;
    },
  };
}
