import { iconButton } from '../../controls/iconButton.ts';
import { element, setText } from '../../controls/dom.ts';

/** A column at the right of the timeline, in a narrow page a sheet under it. It holds one content at a time. `turned`: it was opened or closed. */
export function side(turned: (open: boolean) => void) {
  const title = element('h2');
  const body = element('div', { class: 'side-content' });
  const closeButton = iconButton('close', 'Close', () => end(), 'Esc');
  const box = element(
    'aside',
    { class: 'side', hidden: '', tabindex: '-1' },
    element('div', { class: 'head' }, title, closeButton),
    body,
  );
  let shown: string | undefined;
  let closed: (() => void) | undefined;

  function end(): void {
    if (shown === undefined) return;
    const held = closed;
    shown = undefined;
    closed = undefined;
    box.hidden = true;
    body.replaceChildren();
    turned(false);
    held?.();
  }

  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    end();
  });

  return {
    element: box,
    /** Puts content in place. What was there is closed, unless it has the same name. */
    show(name: string, heading: string, content: HTMLElement, onClose: () => void): void {
      if (shown !== name) end();
      shown = name;
      closed = onClose;
      setText(title, heading);
      box.setAttribute('aria-label', heading);
      body.replaceChildren(content);
      body.scrollTop = 0;
      const wasHidden = box.hidden === true;
      box.hidden = false;
      if (wasHidden) turned(true);
    },
    /** Another heading for what is shown; nothing happens if something else is. */
    rename(name: string, heading: string): void {
      if (shown !== name) return;
      setText(title, heading);
      box.setAttribute('aria-label', heading);
    },
    /** Nothing happens if something else is shown. */
    close(name: string): void {
      if (shown === name) end();
    },
    /** Whether there was something to close. */
    back(): boolean {
      const was = shown !== undefined;
      end();
      return was;
    },
    shown: (): string | undefined => shown,
  };
}
