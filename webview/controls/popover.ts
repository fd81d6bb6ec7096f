import { element } from './dom.ts';

export interface Popover {
  close(): void;
}

let open: Popover | undefined;
const margin = 8;
const focusable = 'button:not(:disabled), input:not(:disabled), select, [tabindex="0"], vscode-button';

/**
 * Opens content over the page, under its anchor; at most one popover is open. Esc and a click elsewhere close it, and the focus
 * goes back to where it was. A click on the anchor of an open popover closes it.
 */
export function popover(anchor: HTMLElement, name: string, content: HTMLElement, onClose?: () => void): Popover {
  open?.close();
  const before = document.activeElement;
  const box = element('div', { class: 'popover', role: 'dialog', 'aria-label': name, tabindex: '-1' }, content);
  const away = new AbortController();

  function close(): void {
    if (open !== made) return;
    open = undefined;
    away.abort();
    const held = box.contains(document.activeElement) || document.activeElement === document.body;
    box.remove();
    anchor.setAttribute('aria-expanded', 'false');
    if (held && before instanceof HTMLElement) before.focus({ preventScroll: true });
    onClose?.();
  }

  /** From the last control Tab leads to the first one: what lies under the popover cannot be seen. */
  function turn(event: KeyboardEvent): void {
    const controls = controlsIn(box);
    const [end, start] = event.shiftKey ? [controls.at(0), controls.at(-1)] : [controls.at(-1), controls.at(0)];
    if (document.activeElement !== end && document.activeElement !== box) return;
    event.preventDefault();
    start?.focus();
  }

  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Tab') turn(event);
    // Keys of the timeline are not for what lies over it.
    event.stopPropagation();
  });
  const listen = { signal: away.signal, capture: true };
  addEventListener(
    'pointerdown',
    ({ target }) => {
      if (target instanceof Node && !box.contains(target) && !anchor.contains(target)) close();
    },
    listen,
  );
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || box.contains(document.activeElement)) return;
      event.stopPropagation();
      close();
    },
    listen,
  );
  addEventListener('resize', () => close(), listen);
  const made = { close };
  open = made;
  anchor.setAttribute('aria-expanded', 'true');
  document.body.append(box);
  placeUnder(anchor, box);
  (controlsIn(box).at(0) ?? box).focus({ preventScroll: true });
  return made;
}

/** Closes what is open: its content has led somewhere else. */
export const closePopover = (): void => open?.close();

/** What the focus can go to: some controls are hidden where the toolbar has them. */
const controlsIn = (box: HTMLElement): readonly HTMLElement[] =>
  Array.from(box.querySelectorAll<HTMLElement>(focusable)).filter((node) => node.checkVisibility());

/** A click on the button opens what `make` returns, or closes it where it is open. */
export function opensPopover(anchor: HTMLElement, name: string, make: () => HTMLElement): void {
  anchor.setAttribute('aria-haspopup', 'dialog');
  anchor.setAttribute('aria-expanded', 'false');
  let shown: Popover | undefined;
  anchor.addEventListener('click', () => {
    if (shown === undefined) shown = popover(anchor, name, make(), () => (shown = undefined));
    else shown.close();
  });
}

/** Below the anchor, or above it where there is more room; never over the edge of the page. */
function placeUnder(anchor: HTMLElement, box: HTMLElement): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const below = innerHeight - bottom - margin;
  const above = top - margin;
  const upwards = below < box.offsetHeight && above > below;
  box.style.maxHeight = `${Math.max(80, upwards ? above : below)}px`;
  const { offsetWidth: width, offsetHeight: height } = box;
  const aligned = left + width + margin <= innerWidth ? left : right - width;
  box.style.left = `${Math.max(margin, Math.min(innerWidth - width - margin, aligned))}px`;
  box.style.top = `${upwards ? top - height - 2 : bottom + 2}px`;
}
