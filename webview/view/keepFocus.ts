const regions = '.side, .cover, .popover';
const focusable =
  'button:not(:disabled), a[href], input:not(:disabled), select, vscode-button, vscode-dropdown, [tabindex="0"]';

const isShown = (node: Element): boolean => node.isConnected && node.checkVisibility({ visibilityProperty: true });

/**
 * Keeps the focus in the page while its parts come and go. If what has the focus is taken away, the focus goes to what is left of its
 * region, then to what covers the timeline, and last to the timeline. Otherwise keys would go nowhere.
 */
export function keepFocus(timeline: () => void): void {
  let held: Element | undefined;
  let region: Element | undefined;
  let waiting = false;

  function restore(): void {
    waiting = false;
    const active = document.activeElement;
    // Never from the text: another part of the editor has the focus then.
    if (held === undefined || !document.hasFocus()) return;
    if (active !== null && active !== document.body && isShown(active)) return;
    const places = [region, ...document.querySelectorAll('.popover, .cover')].filter((place) => place !== undefined);
    const [target] = [held, ...places.filter(isShown).flatMap(insideOf)].filter(isShown);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    else timeline();
  }

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    held = target;
    region = target.closest(regions) ?? undefined;
  });
  // A list of the editor was closed, and the page has the focus again, but nothing in it.
  addEventListener('focus', () => requestAnimationFrame(restore));
  // A click beside everything takes the focus away on purpose.
  document.addEventListener('pointerup', () => {
    if (document.activeElement === document.body) held = undefined;
  });
  new MutationObserver(() => {
    if (waiting || held === undefined) return;
    waiting = true;
    requestAnimationFrame(restore);
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden', 'class', 'disabled'] });
}

/** What can take the focus in a region: the region, or its controls in their order. */
const insideOf = (place: Element): readonly Element[] =>
  place.hasAttribute('tabindex') ? [place] : [...place.querySelectorAll(focusable)];
