import type { FromPage, ShownOrder, ToPage } from '../protocol/messages.ts';
import { movedBlocks } from '../picture/movedBlocks.ts';
import type { OrderSearch } from '../session/orderWords.ts';
import { isShorter, orderSentence } from '../session/orderWords.ts';
import type { shownFile } from '../session/shownFile.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { orderStrip } from '../view/race/orderStrip.ts';
import type { pageView } from '../view/page.ts';

export interface OrdersHost {
  readonly page: Pick<ReturnType<typeof pageView>, 'side' | 'toolbar' | 'say' | 'focusTimeline'>;
  readonly file: Pick<ReturnType<typeof shownFile>, 'pipeline' | 'schedule' | 'isTrying' | 'tryOrder' | 'triedOrder'>;
  post(message: FromPage): void;
  /** The timeline on show, and the timeline of what the file has. */
  timeline(): ShownTimeline | undefined;
  inFile(): ShownTimeline | undefined;
  /** What is marked over the timeline has changed. */
  paintOver(): void;
  nextRequest(): number;
}

const name = 'order';
/** How much longer a search is than the one before. */
const factor = 4;
const none = new Int32Array(0);

/** Watches the search for a shorter order of the pipeline on show, in the side panel. */
export function orders({ page, file, post, timeline, inFile, paintOver, nextRequest }: OrdersHost) {
  let open = false;
  /** Asked for before the first plan has come. */
  let due = false;
  let request = -1;
  let times = 1;
  /** The pipeline that is searched, with its plan, so that the same plan sent again asks nothing. */
  let about = '';
  let search: OrderSearch | undefined;
  let note = '';
  let outdated = false;
  /** The newest search: it runs, it has said something, the reader has stopped it. */
  let running = false;
  let heard = false;
  let stopped = false;
  let marked = false;
  let noticed = false;
  let moved: { readonly of: ShownTimeline; readonly from: ShownTimeline; readonly blocks: Int32Array } | undefined;

  const strip = orderStrip({
    keep: () => {
      if (search?.end?.keeps === true) post({ type: 'keepOrder', request });
    },
    show: () => turn(file.triedOrder() === undefined),
    mark: () => {
      marked = !marked;
      update();
      paintOver();
    },
    searchLonger: () => ask(times * factor),
    stop() {
      if (heard) return post({ type: 'stopOrder', request });
      post({ type: 'endOrder', request });
      running = false;
      stopped = true;
      note = 'Stopped before an order was found.';
      update();
    },
    again: () => ask(times),
  });

  const isShown = (): boolean => file.triedOrder() !== undefined;

  function update(): void {
    if (!open) return;
    const state = search?.state;
    const longer = state?.mayGoOn === true ? Math.min(state.effort * factor, mostEffort) : undefined;
    strip.update({ search, note, outdated, shown: isShown(), marked, longer, running, stopped });
    notice();
  }

  /** In the toolbar, while an order is on show. Others use its place, too. */
  function notice(): void {
    if (!isShown() && !noticed) return;
    noticed = isShown();
    const keeps = search?.end?.keeps === true && !outdated;
    const apply = keeps ? () => post({ type: 'keepOrder', request }) : undefined;
    page.toolbar.trial(noticed ? { apply, back: () => turn(false) } : undefined, 'a shorter order');
  }

  /** Shows the best order in the timeline, and each better one as it comes, or the file's again. */
  function turn(on: boolean): void {
    if (!on) marked = false;
    file.tryOrder(on ? search?.state.order : undefined);
    update();
    paintOver();
  }

  const keyOf = (): string => JSON.stringify(file.pipeline() ?? null);

  function ask(next: number): void {
    const plan = file.pipeline();
    if (plan === undefined) return;
    times = next;
    about = keyOf();
    request = nextRequest();
    note = '';
    heard = false;
    stopped = false;
    if (file.schedule() !== undefined)
      note = `${plan.name} has no times: write a pipeline with it to search its orders.`;
    else if (file.isTrying() && !isShown())
      note = 'The search is for the values of the file. Write the values that you try into it, or reset them.';
    running = note === '';
    if (running) {
      // What the search before has ended with is not of this one.
      if (search !== undefined) search = { state: search.state };
      post({ type: 'searchOrder', request, pipeline: plan.name, times });
    } else outdated = search !== undefined;
    update();
  }

  function begin(): void {
    search = undefined;
    outdated = false;
    ask(1);
  }

  function end(): void {
    open = false;
    post({ type: 'endOrder', request });
    request = -1;
    search = undefined;
    if (isShown()) file.tryOrder(undefined);
    marked = false;
    notice();
    paintOver();
    page.focusTimeline();
  }

  function received(message: ShownOrder): void {
    const { state, reason } = message;
    running = state !== undefined && message.end === undefined;
    heard = state !== undefined;
    if (reason !== undefined) {
      note = `The orders of this pipeline cannot be searched, because ${reason}.`;
      outdated = search !== undefined;
    } else if (state === undefined) {
      outdated = true;
      stopped = false;
      note = 'The file has changed. It is searched again once you stop typing.';
    } else {
      // A longer search begins as the shorter one did, which is shown until there is more to show.
      const done = search?.state.points.at(-1)?.[0] ?? 0;
      const before = search;
      const isAhead = (state.points.at(-1)?.[0] ?? 0) >= done;
      if (outdated || before === undefined || isAhead || message.end !== undefined)
        search = { state, ...(message.end === undefined ? {} : { end: message.end }) };
      else search = { state: { ...before.state, effort: state.effort } };
      outdated = false;
      note = '';
      stopped = message.end?.stopped === true;
      if (message.end !== undefined) page.say(orderSentence(search));
      if (isShown() && isShorter(search)) file.tryOrder(search.state.order);
    }
    update();
  }

  return {
    open(): void {
      if (file.pipeline() === undefined) {
        due = true;
        return;
      }
      due = false;
      const was = open;
      open = true;
      if (!was) page.side.show(name, 'Shorter order', strip.element, end);
      if (!was) begin();
      update();
      strip.focus();
    },
    received(message: Extract<ToPage, { readonly type: 'order' }>): void {
      if (open && message.request === request) received(message);
    },
    /** The page has another plan, or another pipeline is chosen. What was tried is not shown any more. */
    changed(): void {
      if (due) return this.open();
      if (!open || isShown()) return;
      if (keyOf() !== about) {
        outdated = search !== undefined;
        ask(1);
      } else update();
    },
    /** Another file is on show. */
    close(): void {
      due = false;
      page.side.close(name);
    },
    /** Blocks of the timeline on show that run at another place than in the file; empty if they are not asked for. */
    moved(): Int32Array {
      const [of, from] = [timeline(), inFile()];
      const tried = file.triedOrder();
      if (!marked || tried === undefined || of === undefined || from === undefined) return none;
      // Until its picture is there, the file's is on show.
      if (of.plan.schedule !== tried.schedule || of.plan.name !== from.plan.name) return none;
      if (moved?.of !== of || moved.from !== from)
        moved = { of, from, blocks: movedBlocks(of.picture.columns, from.picture.columns) };
      return moved.blocks;
    },
  };
}

/** More is not an argument of `search`. */
const mostEffort = 1000;
