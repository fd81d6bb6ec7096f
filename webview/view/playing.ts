import { time as timeText } from '../../engine/basics/quantities.ts';
import { element, setText } from '../controls/dom.ts';
import { type IconName, icon } from '../controls/icon.ts';
import { type Speed, advanced, nextEvent, nextSpeed, secondsAt } from '../session/playback.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import type { Layout } from './scene/layout.ts';
import type { Viewport } from './scene/viewport.ts';

export interface PlayingHost {
  timeline(): ShownTimeline | undefined;
  view(): Viewport | undefined;
  layout(): Layout;
  paintOver(): void;
  say(text: string): void;
}

const height = 24;
const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Plays the iteration: a cursor goes along, and what it has not reached fades. With reduced motion it goes from event to event. */
export function playing(host: PlayingHost) {
  let at: number | undefined;
  let last: number | undefined;
  let speed: Speed = 1;
  const play = element('button', { type: 'button', class: 'icon' });
  const rate = element('button', { type: 'button', class: 'icon rate' });
  const box = element('div', { class: 'play' }, play, rate);
  play.addEventListener('click', toggle);
  rate.addEventListener('click', () => {
    speed = nextSpeed(speed);
    show();
  });
  show();

  function show(): void {
    const stepping = isStill();
    const sign: IconName = last === undefined ? (stepping ? 'step' : 'play') : 'pause';
    const name = last === undefined ? (stepping ? 'Step to the next event (Space)' : 'Play (Space)') : 'Pause (Space)';
    play.replaceChildren(icon(sign));
    play.setAttribute('aria-label', name);
    play.title = name;
    setText(rate, `${speed}×`);
    rate.setAttribute('aria-label', `${speed}×, speed of play`);
    rate.title = 'Speed of play';
    rate.hidden = at === undefined || stepping;
  }

  function begin(): { readonly now: number; readonly makespan: number } | undefined {
    const columns = host.timeline()?.picture.columns;
    if (columns === undefined || !(columns.makespan > 0)) return undefined;
    const now = at === undefined || at >= columns.makespan ? Math.max(0, host.view()?.t0 ?? 0) : at;
    return { now, makespan: columns.makespan };
  }

  function toggle(): void {
    const columns = host.timeline()?.picture.columns;
    const from = begin();
    if (columns === undefined || from === undefined) return;
    if (last !== undefined) last = undefined;
    else if (isStill()) {
      at = nextEvent(columns, from.now);
      host.say(timeText(at, 4));
    } else {
      at = from.now;
      last = performance.now();
      requestAnimationFrame(frame);
    }
    show();
    host.paintOver();
  }

  function frame(now: number): void {
    const columns = host.timeline()?.picture.columns;
    if (last === undefined || at === undefined) return;
    if (columns === undefined) {
      leave();
      return;
    }
    at = advanced(at, now - last, speed, columns.makespan);
    last = at < columns.makespan ? now : undefined;
    host.paintOver();
    if (last === undefined) show();
    else requestAnimationFrame(frame);
  }

  /** Shows all of the iteration again; false where nothing is played. */
  function leave(): boolean {
    if (at === undefined) return false;
    at = undefined;
    last = undefined;
    show();
    host.paintOver();
    return true;
  }

  return {
    element: box,
    toggle,
    leave,
    /** Seconds of the cursor; undefined while nothing is played. */
    time: () => at,
    /** Seconds that an iteration takes at the speed that is chosen. */
    seconds: () => secondsAt(speed),
    /** Left of the ruler. */
    place(): void {
      const { ruler } = host.layout();
      box.style.top = `${ruler.y + (ruler.height - height) / 2}px`;
    },
  };
}
