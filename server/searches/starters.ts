/**
 * Looks for the pipeline that a text without one may get: in slices between requests, once a preview has asked for it, and again after
 * each edit. A preview hears of it when what it offers is no longer what was found.
 */
import { CancellationTokenSource, type CancellationToken } from 'vscode-languageserver';
import { type NewPipeline, newPipelineSteps } from '../../engine/fixes/newPipeline.ts';
import type { Analysis } from '../../engine/flow/check.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { quietTimer } from '../../platform/common/quietTimer.ts';
import { cancelled, noting } from '../documents/answered.ts';
import type { Documents } from '../documents/documents.ts';
import type { View } from '../view.ts';
import { trials } from './trials.ts';

export interface Starters {
  /** The pipeline if it is found within a moment; the host hears of it if it is found later. `patient`: once it is found. */
  find(view: View, patient: boolean, token: CancellationToken): Promise<NewPipeline | undefined>;
  /** The text is checked: looks for its pipeline if a preview has asked for one of this document before. */
  ahead(view: View): void;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

export interface StartersHost {
  readonly documents: Pick<Documents, 'answeredInSteps' | 'text'>;
  /** Whether a pipeline may be added to a text. */
  mayStart(view: View): boolean;
  /** Another pipeline than `find` has answered with, or the first one. */
  found(view: View): void;
  failed(error: unknown): void;
}

/** Milliseconds that an answer waits. */
const usualPatience = 50;
/** Characters of a text that is checked some times more while it is edited. */
const longest = 200_000;

interface Search {
  readonly done: Promise<void>;
  readonly stop: CancellationTokenSource;
  /** Once found. */
  result?: { readonly pipeline: NewPipeline | undefined };
}

export function createStarters(host: StartersHost, patience = usualPatience): Starters {
  const { documents, mayStart, found, failed } = host;
  const known = new WeakMap<Analysis['resolution'], Search>();
  const running = new Map<string, Search>();
  /** What previews show of each document that they have asked about. */
  const told = new Map<string, string>();

  function begin(view: View): Search {
    const { uri, analysis } = view;
    const again = trials(view);
    const stop = new CancellationTokenSource();
    const steps = documents.answeredInSteps(
      uri,
      function* (searches) {
        return { pipeline: yield* whileAnswered(searches, (noted) => newPipelineSteps(analysis, again(noted))) };
      },
      stop.token,
    );
    const end = (result: Search['result']): void => {
      if (running.get(uri) === search) running.delete(uri);
      search.result = result;
      if (result === undefined) known.delete(analysis.resolution);
      else if (told.has(uri) && told.get(uri) !== shown(result.pipeline)) found(view);
    };
    const done = steps.then(end, (error: unknown) => {
      failed(error);
      end({ pipeline: undefined });
    });
    const search: Search = { done, stop };
    running.get(uri)?.stop.cancel();
    known.set(analysis.resolution, search);
    running.set(uri, search);
    return search;
  }

  const searchOf = (view: View): Search | undefined =>
    view.syntax.text.length > longest ? undefined : (known.get(view.analysis.resolution) ?? begin(view));

  return {
    async find(view, patient, token) {
      const search = searchOf(view);
      if (search === undefined) return undefined;
      // What the search finds meanwhile is in this answer.
      told.delete(view.uri);
      if (search.result === undefined)
        await Promise.race([search.done, cancelled(token), ...(patient ? [] : [passed(patience)])]);
      told.set(view.uri, shown(search.result?.pipeline));
      return search.result?.pipeline;
    },
    ahead(view) {
      if (told.has(view.uri) && mayStart(view)) searchOf(view);
    },
    stop(uri) {
      running.get(uri)?.stop.cancel();
      running.delete(uri);
      if (documents.text(uri) === undefined) told.delete(uri);
    },
  };
}

/** Of a pipeline, what a preview shows before it is added. */
const shown = (pipeline: NewPipeline | undefined): string =>
  pipeline === undefined ? '' : JSON.stringify([pipeline.title, pipeline.assumptions]);

/** Ends at the first pause after an answer that is still to come: the work runs again, and what follows may depend on the answer. */
function* whileAnswered<R>(
  searches: Searches,
  work: (searches: Searches) => Generator<undefined, R, void>,
): Generator<undefined, R | undefined, void> {
  let isOpen = false;
  const noted = noting(searches, () => {
    isOpen = true;
  });
  const steps = work(noted);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (isOpen) return undefined;
    yield undefined;
  }
}

const passed = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    quietTimer(resolve, milliseconds);
  });
