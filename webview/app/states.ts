/** What the page shows in place of a timeline: a deadlock, and why there is nothing to draw. */
import type { FromPage, ShownContents, ToPage } from '../protocol/messages.ts';
import type { Range } from '../protocol/requests.ts';
import { stallSentence } from '../picture/stallSentences.ts';
import { exampleCards } from '../session/exampleCards.ts';
import { contentsMessage } from '../view/panels/contents.ts';
import { emptyPanel, emptyTitle } from '../view/panels/empty.ts';
import { type Message, messagePanel } from '../view/panels/message.ts';
import {
  brokenMessage,
  failedMessage,
  goneMessage,
  idleMessage,
  impossibleMessage,
  stoppedMessage,
  unplannedMessage,
} from './stateMessages.ts';
import { type ShownStall, stallPanel } from '../view/panels/stall/stallPanel.ts';
import type { pageView } from '../view/page.ts';
import type { Theme } from '../view/scene/theme.ts';

export interface StatesHost {
  readonly page: Pick<ReturnType<typeof pageView>, 'cover' | 'say' | 'toolbar'>;
  post(message: FromPage): void;
  theme(): Theme;
  /** The preview is docked: it cannot be closed from the page. */
  docked(): boolean;
}

/** While you type, an error has this long to go away before it replaces what is shown. */
const patience = 600;
const firstRequest = 1_000_000;

export function states({ page, post, theme, docked }: StatesHost) {
  const stall = stallPanel({
    reveal: (path) => post({ type: 'reveal', path, preserveFocus: false }),
    links: askLines,
    seen(pipeline) {
      request += 1;
      post({ type: 'help', request, pipeline, about: 'deadlock' });
    },
    fixes: {
      apply: (index) => post({ type: 'applyFix', request, index }),
      show: (index) => {
        tried = index;
        post({ type: 'showFix', request, index });
      },
    },
  });
  /** Numbers of questions about deadlocks; other questions have lower ones. */
  let request = firstRequest;
  let linesRequest = firstRequest;
  /** Index of the fix whose result the page asked for; −1 for none. */
  let tried = -1;
  /** That result is on show. */
  let onShow = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let said = '';
  let newestStall: ShownStall | undefined;

  const empty = emptyPanel(exampleCards(), {
    insert: (name) => post({ type: 'insertExample', name }),
    importSchedule: () => post({ type: 'importSchedule' }),
    openExamples: () => post({ type: 'openExamples' }),
    openGuide: () => post({ type: 'openGuide' }),
  });

  function askLines(paths: readonly string[]): void {
    if (paths.length === 0) return;
    linesRequest += 1;
    post({ type: 'lines', request: linesRequest, paths });
  }

  function endTrial(): void {
    tried = -1;
    onShow = false;
    page.toolbar.trial(undefined);
  }

  function back(): void {
    endTrial();
    post({ type: 'showFix', request, index: -1 });
  }

  function take(): void {
    const index = tried;
    endTrial();
    post({ type: 'applyFix', request, index });
  }

  function show(name: string, content: HTMLElement, sentence: string): void {
    clearTimeout(waiting);
    if (withoutPipeline.has(name)) page.toolbar.nameless();
    if (name !== 'stall' || page.cover.shown() !== name) page.cover.show(name, content);
    if (sentence !== said) page.say(sentence);
    said = sentence;
  }
  const showMessage = (name: string, message: Message): void =>
    show(name, messagePanel(message), [message.title, ...message.details].join(' '));

  return {
    /** A timeline is on show again. */
    clear(): void {
      clearTimeout(waiting);
      said = '';
      const shown = page.cover.shown();
      if (shown !== undefined && covers.has(shown)) page.cover.close(shown);
      if (tried < 0) return;
      onShow = true;
      page.toolbar.trial({ apply: take, back });
    },
    stalled(found: ShownStall): void {
      endTrial();
      newestStall = found;
      show('stall', stall.element, stallSentence(found.stall));
      stall.update(found, theme());
    },
    /** The deadlock that is on show. */
    shownStall: (): ShownStall | undefined => (page.cover.shown() === 'stall' ? newestStall : undefined),
    markStalled: stall.mark,
    /** The text is shown as it is: an edit ends what was tried. */
    untried(): void {
      if (onShow) endTrial();
    },
    /** The text has an error and no timeline was drawn of it yet. */
    broken(message: string, range: Range | undefined): void {
      const wanted = brokenMessage(message, range, post);
      clearTimeout(waiting);
      const shown = page.cover.shown();
      if (shown === undefined || shown === 'broken') showMessage('broken', wanted);
      else if (shown !== 'stall') waiting = setTimeout(() => showMessage('broken', wanted), patience);
    },
    /** The plan gives no timeline. */
    impossible(reasons: readonly string[]): void {
      showMessage('impossible', impossibleMessage(reasons));
    },
    /** A schedule without a pipeline cannot be planned. */
    unplanned(name: string, message: string, range: Range | undefined): void {
      showMessage('unplanned', unplannedMessage(name, message, range, post));
    },
    /** The text has no pipeline, and perhaps other contents. */
    empty(instead: boolean, contents: ShownContents | undefined): void {
      clearTimeout(waiting);
      const act = (): void => {
        if (contents !== undefined) {
          const actions = {
            add: () => post({ type: 'addPipeline' }),
            openGuide: () => post({ type: 'openGuide' }),
          };
          showMessage('contents', contentsMessage(contents, actions));
          return;
        }
        if (page.cover.shown() !== 'empty') show('empty', empty.element, emptyTitle);
        empty.update(theme());
      };
      // In place of a timeline only if the pipeline does not come back at once, as when it is moved.
      if (instead) waiting = setTimeout(act, patience);
      else act();
    },
    /** It says that the text has no pipeline. */
    isEmpty: (): boolean => page.cover.shown() === 'empty' || page.cover.shown() === 'contents',
    /** The text has a pipeline again, though one that is broken: the timeline stays. */
    keep: () => clearTimeout(waiting),
    /** The engine, or its thread, failed: a fault of the preview. */
    failed: (reason: string): void => showMessage('failed', failedMessage(reason)),
    gone: (message: Extract<ToPage, { type: 'gone' }>): void =>
      showMessage('gone', goneMessage(message, docked(), post)),
    stopped: (message: string): void => showMessage('stopped', stoppedMessage(message, post)),
    idle: (): void => showMessage('idle', idleMessage),
    answered(message: Extract<ToPage, { type: 'fixes' | 'lines' }>): void {
      if (message.type === 'fixes' && message.request === request) stall.showFixes(message.fixes);
      else if (message.type === 'lines' && message.request === linesRequest) stall.showLines(message.lines);
    },
    recolour(): void {
      stall.recolour(theme());
      empty.update(theme());
    },
  };
}

/** What is shown while the text has no pipeline that could be named. */
const withoutPipeline: ReadonlySet<string> = new Set(['empty', 'contents', 'broken', 'idle']);

/** What this module puts over the page. */
const covers: ReadonlySet<string> = new Set([
  'stall',
  'broken',
  'impossible',
  'unplanned',
  'failed',
  'gone',
  'stopped',
  'idle',
  'empty',
  'contents',
]);
