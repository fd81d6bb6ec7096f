import { element } from '../../controls/dom.ts';

/** A comparison of two files says itself what becomes of them: what else would take its place waits below. */
export const besideCover = 'beside';

/**
 * Takes the place of everything under the toolbar: `covered` stays as it is, out of sight. `page` carries the name of what is shown.
 * `changed`: something else is shown, or nothing.
 */
export function cover(page: HTMLElement, covered: HTMLElement, changed: (name: string | undefined) => void) {
  const box = element('div', { class: 'cover', hidden: '' });
  const layers = new Map<'under' | 'over', { readonly name: string; readonly content: HTMLElement }>();
  const layerOf = (name: string) => (name === besideCover ? 'over' : 'under');

  function show(): void {
    const { name, content } = layers.get('over') ?? layers.get('under') ?? {};
    if (page.dataset.cover === name && content === box.firstElementChild) return;
    box.replaceChildren(...(content === undefined ? [] : [content]));
    box.hidden = content === undefined;
    if (name === undefined) delete page.dataset.cover;
    else page.dataset.cover = name;
    covered.classList.toggle('covered', name !== undefined);
    changed(name);
  }

  return {
    element: box,
    show(name: string, content: HTMLElement): void {
      layers.set(layerOf(name), { name, content });
      show();
    },
    /** Nothing happens if something else is shown. */
    close(name: string): void {
      const layer = layerOf(name);
      if (layers.get(layer)?.name !== name) return;
      layers.delete(layer);
      show();
    },
    /** What is shown, or waits below a comparison of two files. */
    shown: (): string | undefined => layers.get('under')?.name,
  };
}
