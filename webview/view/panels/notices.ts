import { element, setText } from '../../controls/dom.ts';

/** An error is shown only when nobody has typed for this long. */
const errorDelay = 600;
/** A simulation is shown only when it takes this long. */
const busyDelay = 200;

export interface NoticeHost {
  /** Everything that shows a timeline. */
  readonly place: HTMLElement;
  notice(text: string | undefined, action?: () => void): void;
  setBusy(busy: boolean): void;
  say(text: string): void;
}

/** Says why there is no picture yet, or why the picture is older than the text. Nothing moves meanwhile. */
export function notices({ place, notice, setBusy, say }: NoticeHost) {
  const empty = element('p', { class: 'empty' }, 'Simulating…');
  let errorTimer: ReturnType<typeof setTimeout> | undefined;
  let busyTimer: ReturnType<typeof setTimeout> | undefined;
  /** Said last, and not to be said again. */
  let said = '';

  function tell(message: string, action: (() => void) | undefined): void {
    notice(message, action);
    if (said !== message) say(message);
    said = message;
  }
  function idle(): void {
    clearTimeout(busyTimer);
    setBusy(false);
  }

  return {
    /** Takes the place of the picture while there is none. */
    empty,
    /** A newer timeline is being made. */
    running(): void {
      clearTimeout(busyTimer);
      busyTimer = setTimeout(() => setBusy(true), busyDelay);
    },
    /** `kept`: the last valid picture stays on show. `action`: leads to what is wrong. */
    broken(message: string, kept: boolean, action?: () => void): void {
      idle();
      clearTimeout(errorTimer);
      place.classList.toggle('stale', kept);
      if (!kept) setText(empty, 'Nothing to draw yet.');
      errorTimer = setTimeout(() => tell(message, action), errorDelay);
    },
    /** The text can be simulated. */
    whole(): void {
      idle();
      clearTimeout(errorTimer);
      said = '';
      notice(undefined);
      place.classList.remove('stale');
    },
    /** There is a picture. */
    shown(): void {
      empty.hidden = true;
      place.classList.remove('blank');
    },
    /** There is none, of this file. */
    waiting(): void {
      clearTimeout(errorTimer);
      said = '';
      notice(undefined);
      place.classList.remove('stale');
      place.classList.add('blank');
      setText(empty, 'Simulating…');
      empty.hidden = false;
    },
  };
}
