const margin = 8;

/** Keeps the list of a drop-down over the page: bars and popovers that clip what they hold do not clip it. */
export function listOverPage(dropdown: HTMLElement): void {
  const place = (): void => {
    if (!dropdown.hasAttribute('open')) return;
    const { left, right, top, bottom, width } = dropdown.getBoundingClientRect();
    const [below, above] = [innerHeight - bottom - margin, top - margin];
    // As long as the list may be: it scrolls if it is longer.
    const upwards = below < dropdown.childElementCount * leastEntry && above > below;
    const fromRight = left + innerWidth / 2 > innerWidth;
    const set = (name: string, value: string): void => dropdown.style.setProperty(`--list-${name}`, value);
    set('top', upwards ? 'auto' : `${bottom}px`);
    set('bottom', upwards ? `${innerHeight - top}px` : 'auto');
    set('left', fromRight ? 'auto' : `${Math.max(margin, left)}px`);
    set('right', fromRight ? `${Math.max(margin, innerWidth - right)}px` : 'auto');
    set('least', `${width}px`);
    set('most', `${(fromRight ? right : innerWidth - left) - margin}px`);
    set('height', `${Math.max(leastEntry, upwards ? above : below)}px`);
  };
  // Between the change of the attribute and the next frame: the list is never seen elsewhere.
  new MutationObserver(place).observe(dropdown, { attributes: true, attributeFilter: ['open'] });
}

/** Height of an entry, CSS pixels. */
const leastEntry = 24;
