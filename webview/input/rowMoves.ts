/** Moves operations within a row that the file writes. Nothing is written before the reader says so. */
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import type { MovedInRow } from '../protocol/requests.ts';
import { deviceOf, microbatchOf, stageOf, typeOf } from '../picture/blocks.ts';
import type { Picture } from '../picture/picture.ts';
import type { Selection } from '../session/selection.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { type Viewport, timeAt } from '../view/scene/viewport.ts';
import type { Layout } from '../view/scene/layout.ts';

type MovedRow = Extract<ToPage, { readonly type: 'rowMoved' }>;

export interface RowMovesHost {
  timeline(): ShownTimeline | undefined;
  view(): Viewport | undefined;
  layout(): Layout;
  selection(): Selection | undefined;
  /** Block at a point; −1 for none. */
  blockAt(x: number, y: number): number;
  post(message: FromPage): void;
  notice(shown: RowNotice | undefined): void;
  say(text: string): void;
}

export interface RowNotice {
  readonly text: string;
  /** It cannot be written. */
  readonly wrong: boolean;
  write(): void;
  back(): void;
}

interface Trial {
  readonly pipeline: string;
  readonly device: number;
  readonly moves: readonly MovedInRow[];
  readonly answer?: MovedRow;
}

/** Numbers of questions about rows; other questions have lower ones. */
const firstRequest = 3_000_000;

export function rowMoves(host: RowMovesHost) {
  let trial: Trial | undefined;
  let request = firstRequest;

  function ask(next: Trial): void {
    request += 1;
    trial = next;
    const { pipeline, device, moves } = next;
    host.post({ type: 'moveInRow', request, pipeline, device, moves });
  }

  /** Moves that are tried on this device, without a last one of the same operation: a new one takes its place. */
  function earlier({ name }: PipelinePlan, device: number, moved: Omit<MovedInRow, 'to'>): readonly MovedInRow[] {
    const moves = trial !== undefined && trial.pipeline === name && trial.device === device ? trial.moves : [];
    const last = moves.at(-1);
    return last !== undefined && isSame(last, moved) ? moves.slice(0, -1) : moves;
  }

  function leave(write: boolean): void {
    trial = undefined;
    host.notice(undefined);
    host.post({ type: 'endMove', request, write });
  }

  return {
    /** By a key: one place earlier (−1) or later (1). False where nothing can be moved. */
    shift(by: 1 | -1): boolean {
      const timeline = host.timeline();
      const selection = host.selection();
      if (timeline === undefined || selection?.kind !== 'block') return false;
      const found = placeOf(timeline, selection.block);
      if (found === undefined) return false;
      const { device, moved, index, length } = found;
      const last = trial?.device === device ? trial.moves.at(-1) : undefined;
      const to = (last !== undefined && isSame(last, moved) ? last.to : index) + by;
      if (to < 0 || to >= length) return true;
      const moves = [...earlier(timeline.plan, device, moved), { ...moved, to }];
      ask({ pipeline: timeline.plan.name, device, moves });
      return true;
    },
    /** A drag that begins on the selected block moves it; undefined for any other. */
    grab(x: number, y: number): ((x: number) => void) | undefined {
      const [timeline, view, selection] = [host.timeline(), host.view(), host.selection()];
      if (timeline === undefined || view === undefined || selection?.kind !== 'block') return undefined;
      if (host.blockAt(x, y) !== selection.block) return undefined;
      const found = placeOf(timeline, selection.block);
      if (found === undefined) return undefined;
      const { device, moved, index } = found;
      const { left, plot } = host.layout();
      // The timeline of the start decides: the one on show changes under the pointer.
      const middles = middlesOf(timeline.picture, device, selection.block);
      const before = earlier(timeline.plan, device, moved);
      let at = index;
      return (now) => {
        const time = timeAt(view, plot, now - left);
        const to = middles.filter((middle) => middle < time).length;
        if (to === at) return;
        at = to;
        ask({ pipeline: timeline.plan.name, device, moves: [...before, { ...moved, to }] });
      };
    },
    answered(answer: MovedRow): void {
      if (trial === undefined || answer.request !== request) return;
      trial = { ...trial, answer };
      const { text, note = '', problem } = answer;
      const wrong = problem !== undefined || text === undefined;
      const shown = wrong
        ? `Cannot be: ${problem ?? 'this order is not written as rows of this file.'}`
        : `${note} ${text}`;
      host.say(wrong ? shown : note);
      host.notice({ text: shown, wrong, write: () => leave(true), back: () => leave(false) });
    },
    /** A plan has come: of the file itself if nothing is tried. */
    planned(isTried: boolean): void {
      if (isTried || trial?.answer === undefined || trial.answer.problem !== undefined) return;
      trial = undefined;
      host.notice(undefined);
    },
    /** Shows the file again; false where nothing was moved. */
    back(): boolean {
      if (trial === undefined) return false;
      leave(false);
      return true;
    },
    /** The page shows another file. */
    clear(): void {
      trial = undefined;
      host.notice(undefined);
    },
  };
}

const isSame = (a: Omit<MovedInRow, 'to'>, b: Omit<MovedInRow, 'to'>): boolean =>
  a.kind === b.kind && a.stage === b.stage && a.microbatch === b.microbatch;

/** The operation of a block and its place in its row; undefined where the order is not rows of one iteration. */
function placeOf({ plan, picture }: ShownTimeline, block: number) {
  const { schedule } = plan;
  if (schedule.kind !== 'rows' || schedule.weights !== undefined) return undefined;
  const kind = typeOf(picture, block);
  if (kind === 'sync' || kind === 'optimizer') return undefined;
  const device = deviceOf(picture, block);
  const { offsets, word } = picture.columns;
  const length = word.subarray(offsets[device], offsets[device + 1]).filter((code) => code >= 0).length;
  const moved = { kind, stage: stageOf(picture, block), microbatch: microbatchOf(picture, block) };
  return { device, moved, index: block - offsets[device], length };
}

/** Middle of each other operation of a device, in order. */
function middlesOf({ columns }: Picture, device: number, block: number): readonly number[] {
  const found: number[] = [];
  for (let at = columns.offsets[device]; at < columns.offsets[device + 1]; at += 1)
    if (at !== block && columns.word[at] >= 0) found.push((columns.start[at] + columns.end[at]) / 2);
  return found;
}
