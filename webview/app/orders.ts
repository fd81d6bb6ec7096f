import type { FromPage, ShownOrder, ToPage } from '../protocol/messages.ts';
import { nothingHeard, orderAsked, orderHeard, orderStopped } from '../session/heardOrder.ts';
import { isShorter, orderSentence } from '../session/orderWords.ts';
import type { shownFile } from '../session/shownFile.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { movedInOrder } from './movedInOrder.ts';
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
  let now = nothingHeard;
  let marked = false;
  let noticed = false;
  const movedNow = movedInOrder();

  const strip = orderStrip({
    keep: () => {
      if (now.search?.end?.keeps === true) post({ type: 'keepOrder', request });
    },
    show: () => turn(file.triedOrder() === undefined),
    mark: () => {
      marked = !marked;
      update();
      paintOver();
    },
    searchLonger: () => ask(times * factor),
    stop() {
      if (now.heard) return post({ type: 'stopOrder', request });
      post({ type: 'endOrder', request });
      now = orderStopped(now);
      update();
    },
    again: () => ask(times),
  });

  const isShown = (): boolean => file.triedOrder() !== undefined;

  function update(): void {
    if (!open) return;
    const { search, note, outdated, running, stopped } = now;
    const state = search?.state;
    const longer = state?.mayGoOn === true ? Math.min(state.effort * factor, mostEffort) : undefined;
    strip.update({ search, note, outdated, shown: isShown(), marked, longer, running, stopped });
    notice();
  }

  /** In the toolbar, while an order is on show. Others use its place, too. */
  function notice(): void {
    if (!isShown() && !noticed) return;
    noticed = isShown();
    const keeps = now.search?.end?.keeps === true && !now.outdated;
    const apply = keeps ? () => post({ type: 'keepOrder', request }) : undefined;
    page.toolbar.trial(noticed ? { apply, back: () => turn(false) } : undefined, 'a shorter order');
  }

  /** Shows the best order in the timeline, and each better one as it comes, or the file's again. */
  function turn(on: boolean): void {
    if (!on) marked = false;
    file.tryOrder(on ? now.search?.state.order : undefined);
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
    now = orderAsked(now, hindrance(plan.name));
    if (now.running) post({ type: 'searchOrder', request, pipeline: plan.name, times });
    update();
  }

  /** Why there is nothing to search; empty if there is. */
  function hindrance(name: string): string {
    if (file.schedule() !== undefined) return `${name} has no times: write a pipeline with it to search its orders.`;
    return file.isTrying() && !isShown()
      ? 'The search is for the values of the file. Write the values that you try into it, or reset them.'
      : '';
  }

  function begin(): void {
    now = { ...now, search: undefined, outdated: false };
    ask(1);
  }

  function end(): void {
    open = false;
    post({ type: 'endOrder', request });
    request = -1;
    now = { ...now, search: undefined };
    if (isShown()) file.tryOrder(undefined);
    marked = false;
    notice();
    paintOver();
    page.focusTimeline();
  }

  function received(message: ShownOrder): void {
    now = orderHeard(now, message);
    const { search } = now;
    if (message.state !== undefined && message.reason === undefined && search !== undefined) {
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
        now = { ...now, outdated: now.search !== undefined };
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
      return marked ? movedNow(file.triedOrder(), timeline(), inFile()) : none;
    },
  };
}

/** More is not an argument of `search`. */
const mostEffort = 1000;
