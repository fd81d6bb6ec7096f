import { element, setText } from '../../controls/dom.ts';

/** An error is shown only when nobody has typed for this long. */
const errorDelay = 600;
/** A simulation is shown only when it takes this long. */
const busyDelay = 200;
/** A plan that takes longer than this is said in words. */
const planningDelay = 700;

export interface NoticeHost {
  /** Everything that shows a timeline. */
  readonly place: HTMLElement;
  /** `calm`: nothing is wrong. */
  notice(text: string | undefined, action?: () => void, calm?: boolean): void;
  setBusy(busy: boolean): void;
  say(text: string): void;
}

/** Says why there is no picture yet, or why the picture is older than the text. Nothing moves meanwhile. */
export function notices({ place, notice, setBusy, say }: NoticeHost) {
  const empty = element('p', { class: 'empty' }, 'Simulating…');
  let errorTimer: ReturnType<typeof setTimeout> | undefined;
  let busyTimer: ReturnType<typeof setTimeout> | undefined;
  /** The text is newer than the picture, and is still planned. */
  let late = false;
  let lateTimer: ReturnType<typeof setTimeout> | undefined;
  /** What is on show is older because the text has an error. */
  let wrong = false;
  /** Said last, and not to be said again. */
  let said = '';

  function tell(message: string, action: (() => void) | undefined): void {
    notice(message, action);
    if (said !== message) say(message);
    said = message;
  }
  function idle(): void {
    clearTimeout(busyTimer);
    setBusy(late);
  }
  /** What is on show stays, and is marked as older than the text. */
  function planning(): void {
    clearTimeout(lateTimer);
    if (!late) return;
    setBusy(true);
    lateTimer = setTimeout(() => {
      if (place.classList.contains('stale')) return;
      place.classList.add('stale');
      notice('Planning the newest text …', undefined, true);
    }, planningDelay);
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
      clearTimeout(lateTimer);
      wrong = true;
      errorTimer = setTimeout(() => tell(message, action), errorDelay);
    },
    /** The text can be simulated. */
    whole(): void {
      idle();
      clearTimeout(errorTimer);
      said = '';
      notice(undefined);
      place.classList.remove('stale');
      wrong = false;
      planning();
    },
    /** The text is newer than what is on show, and its plan takes a while; or no longer so. */
    late(next: boolean): void {
      if (late && !next && !wrong) {
        notice(undefined);
        place.classList.remove('stale');
      }
      late = next;
      planning();
      if (!late) idle();
    },
    /** There is a picture. */
    shown(): void {
      empty.hidden = true;
      place.classList.remove('blank');
    },
    /** There is none, of this file. */
    waiting(): void {
      clearTimeout(errorTimer);
      clearTimeout(lateTimer);
      late = false;
      wrong = false;
      said = '';
      notice(undefined);
      place.classList.remove('stale');
      place.classList.add('blank');
      setText(empty, 'Simulating…');
      empty.hidden = false;
    },
  };
}
