import type { ColourBy } from '../protocol/messages.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { deviceOf } from '../picture/blocks.ts';
import { neighbour, nextPiece } from '../picture/laneWalk.ts';
import { walk } from './walk.ts';
import { type Bounds, type Viewport, panBy, showRange, zoomAt } from '../view/scene/viewport.ts';
import { type Selection, targetTimes } from '../session/selection.ts';

export interface KeyboardHost {
  timeline(): ShownTimeline | undefined;
  view(): Viewport | undefined;
  bounds(): Bounds;
  selection(): Selection | undefined;
  /** Block that the keyboard is at. */
  focus(): number;
  /** To the next (1) or previous (−1) hit of the search. */
  step(direction: 1 | -1): void;
  /** Ends the search; false where nothing was searched for. */
  leaveSearch(): boolean;
  /** Plays the iteration, or pauses. */
  play(): void;
  /** Shows all of the iteration again; false where nothing is played. */
  leavePlay(): boolean;
  /** Closes the side panel; false where nothing is. */
  leaveSide(): boolean;
  /** Moves the selected operation in its row; false where it cannot be moved. */
  shift(by: 1 | -1): boolean;
  /** Shows the order of the file again; false where none was tried. */
  leaveRow(): boolean;
  setView(view: Viewport): void;
  select(selection: Selection | undefined): void;
  reveal(preserveFocus: boolean): void;
  /** The card with all figures of the selection. */
  readonly card: { open(): void; isOpen(): boolean };
  colourBy(colourBy: ColourBy): void;
  focusSearch(): void;
  /** All of the iteration and all devices. */
  showAll(): void;
  /** Opens the group of the device that the keyboard is at, or closes it; with `all` all groups. */
  group(all: boolean): void;
  /** Explains the gap that is selected, or the peak. */
  why(): void;
  peak(): void;
  /** To the next shorter (1) or longer (−1) bubble. */
  bubble(direction: 1 | -1): void;
  toggle(
    what: 'criticalPath' | 'bubbles' | 'memory' | 'table' | 'help' | 'export' | 'legend' | 'compare' | 'sensitivity',
  ): void;
}

const zoomStep = 1.4;
const panStep = 0.1;
const walkKeys = new Set([
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  ',',
  '.',
  '<',
  '>',
]);
const toggles = {
  c: 'criticalPath',
  b: 'bubbles',
  m: 'memory',
  t: 'table',
  l: 'legend',
  e: 'export',
  x: 'compare',
  v: 'sensitivity',
  '?': 'help',
} as const;

const colourings: Readonly<Record<string, ColourBy>> = {
  '1': 'operation',
  '2': 'microbatch',
  '3': 'chunk',
  '4': 'version',
};

/** Keys of the timeline. They act only while it has the focus, so that they never get in the way of typing. */
export function keyboard(host: KeyboardHost): (event: KeyboardEvent) => void {
  let centred: string | undefined;
  return (event) => {
    const timeline = host.timeline();
    const view = host.view();
    if (timeline === undefined || view === undefined || event.ctrlKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const times = event.shiftKey ? 5 : 1;
    const middle = (view.t0 + view.t1) / 2;
    const length = view.t1 - view.t0;
    if (key !== 'f') centred = undefined;
    const toggled = toggles[key as keyof typeof toggles];
    const sideways = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : undefined;
    if (event.altKey && sideways !== undefined) host.shift(sideways);
    else if (walkKeys.has(key)) move(key, event.shiftKey);
    else if (toggled !== undefined) host.toggle(toggled);
    else if (Object.hasOwn(colourings, key)) host.colourBy(colourings[key]);
    else if (key === 'w' || key === '+' || key === '=') host.setView(zoomAt(view, middle, zoomStep ** times));
    else if (key === 's' || key === '-' || key === '_') host.setView(zoomAt(view, middle, zoomStep ** -times));
    else if (key === 'a') host.setView(panBy(view, -panStep * times * length));
    else if (key === 'd') host.setView(panBy(view, panStep * times * length));
    else if (key === '0') host.showAll();
    else if (key === 'g') host.group(event.shiftKey);
    else if (key === 'f') fit(view);
    else if (key === 'Enter') enter(event.altKey);
    else if (key === '/') host.focusSearch();
    else if (key === 'i') device();
    else if (key === 'j') lane();
    else if (key === 'y') host.why();
    else if (key === 'k') host.peak();
    else if (key === '[') host.bubble(-1);
    else if (key === ']') host.bubble(1);
    else if (key === 'n') host.step(event.shiftKey ? -1 : 1);
    else if (key === ' ') host.play();
    else if (key === 'Escape') back();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  function move(key: string, shift: boolean): void {
    const timeline = host.timeline();
    const view = host.view();
    if (timeline === undefined || view === undefined || timeline.picture.columns.word.length === 0) return;
    const page = Math.max(1, Math.floor(host.bounds().height / view.rowHeight));
    const now = host.selection();
    if (now?.kind === 'piece' && (key === 'ArrowLeft' || key === 'ArrowRight')) {
      host.select(neighbour(timeline.picture, now, key === 'ArrowLeft' ? -1 : 1));
      return;
    }
    // The first key selects where the focus is.
    const block =
      host.selection()?.kind === 'block' ? walk(timeline.picture, host.focus(), key, shift, page) : host.focus();
    host.select({ kind: 'block', block });
  }

  /** First the card opens; from the card on to the text. With Alt the text shows the line and the keys stay here. */
  function enter(alt: boolean): void {
    if (alt || host.card.isOpen() || host.selection() === undefined) host.reveal(alt);
    else host.card.open();
  }

  /** The device that the keyboard is at, on its card; again: the block on it. */
  function device(): void {
    const timeline = host.timeline();
    const block = host.focus();
    if (timeline === undefined || timeline.picture.columns.word.length === 0) return;
    host.select(
      host.selection()?.kind === 'device'
        ? { kind: 'block', block }
        : { kind: 'device', device: deviceOf(timeline.picture, block) },
    );
    // The card that opens has the room that the selection needs.
    host.card.open();
  }

  /** From a block to what its device exchanges then or next, and back to the block. */
  function lane(): void {
    const timeline = host.timeline();
    const block = host.focus();
    if (timeline === undefined || timeline.picture.columns.word.length === 0) return;
    const { picture } = timeline;
    const piece =
      host.selection()?.kind === 'piece'
        ? undefined
        : nextPiece(picture.lanes, deviceOf(picture, block), picture.columns.start[block]);
    host.select(piece === undefined ? { kind: 'block', block } : { ...piece, kind: 'piece' });
  }

  /** First the selection in the middle; the second time it fills the width. */
  function fit(view: Viewport): void {
    const timeline = host.timeline();
    const selection = host.selection();
    if (timeline === undefined || selection === undefined || selection.kind === 'device') return;
    const [from, to] =
      selection.kind === 'range' ? [selection.t0, selection.t1] : targetTimes(timeline.picture, selection);
    const key = `${timeline.picture.generation} ${from} ${to}`;
    if (centred === key) host.setView(showRange(view, from, to));
    else host.setView(panBy(view, (from + to) / 2 - (view.t0 + view.t1) / 2));
    centred = key;
  }

  /** One level back: first an order that is tried, then the side panel, then the selection, then the search. */
  function back(): void {
    if (host.leaveRow() || host.leaveSide() || host.leavePlay()) return;
    if (host.selection() === undefined) host.leaveSearch();
    else host.select(undefined);
  }
}
