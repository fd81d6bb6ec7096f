/**
 * Open documents, and what the server knows about each. Checking runs off the request path, in slices. Between two slices the
 * server reads its input and other documents have their turn. A check whose text is no longer the newest is dropped. Plans and
 * simulations that take long are found in threads; until they arrive, a document is known in part.
 */
import type { CancellationToken } from 'vscode-languageserver';
import { type Analysis, type CheckStep, checkSteps, type Planned } from '../engine/flow/check.ts';
import type { EngineOptions } from '../engine/basics/host.ts';
import type { Finding } from '../engine/findings/finding.ts';
import type { Searches } from '../engine/basics/searches.ts';
import { LineIndex, parse, type SyntaxFile } from '../grammar/index.ts';
import type { Answers, Round } from './searches/answers.ts';
import { normal } from './text/uris.ts';
import type { Files, SyntaxView, View } from './view.ts';

/**
 * What a request needs of a view: the meaning of names, the whole plan, what the simulation of pipelines and jobs gives, or the tests of
 * schedules too. `soon`: everything, but what is known without it where that takes long.
 */
export type Need = 'names' | 'plan' | 'figures' | 'soon' | 'tests';

export interface Documents {
  /** Opens a document or gives its newest text. Documents that import it are checked again. */
  set(uri: string, version: number, text: string): void;
  close(uri: string): void;
  /** The newest text of an open document. */
  text(uri: string): string | undefined;
  uris(): readonly string[];
  /** Counts what changed around the text: imported files, settings. Undefined for a document that is not open. */
  surroundings(uri: string): number | undefined;
  /** Checks again: these documents, or all. Their texts are what they were; something around them is not. */
  recheck(uris?: readonly string[]): void;
  /**
   * The view of a check with these findings instead: its own, some of which may say more by now, and what was found after it. Undefined
   * where the view is not the newest, where they are the findings of the check, or where there is no room.
   */
  extend(view: View, findings: readonly Finding[]): View | undefined;
  /** Checks again the documents that import any of these files. */
  filesChanged(uris: readonly string[]): void;
  /** The newest text's tree, at once. */
  syntax(uri: string): SyntaxView | undefined;
  /** What is needed of the newest text; undefined once closed or cancelled, or where checking failed. */
  view(uri: string, need: Need, token: CancellationToken): Promise<View | undefined>;
  /** What `work` returns when everything that it asks is answered: it runs again when answers have come. Undefined once cancelled. */
  answered<R>(uri: string, work: (searches: Searches) => R, token: CancellationToken): Promise<R | undefined>;
  /** The same for work in steps: other requests come between them. Undefined also once the text has changed. */
  answeredInSteps<R>(
    uri: string,
    work: (searches: Searches) => Generator<unknown, R, void>,
    token: CancellationToken,
  ): Promise<R | undefined>;
}

export interface DocumentsHost {
  readonly files: Files;
  readonly answers: Answers;
  options(): EngineOptions;
  /** Checking starts once this is settled. */
  readonly ready: Promise<void>;
  /** The plan of a text is known, and its figures take longer; `checked` or `failed` follows, unless the text changes. */
  planned(view: View): void;
  /** `edited` is false where the text did not change, only something around it. */
  checked(view: View, edited: boolean): void;
  /** Everything is known but the tests of schedules, which may take long. `checked` or `failed` follows, unless the text changes. */
  untested(view: View): void;
  /** Answers let wait for them: the view has what else is known. `checked` or `failed` follows, unless the text changes. */
  waiting(view: View): void;
  closed(uri: string): void;
  failed(uri: string, error: unknown): void;
  /** Milliseconds that answers may take before `waiting` is called: most come sooner, and diagnostics would flicker. */
  readonly patience?: number;
  /** Of bursts of edits, and of slices of checks. Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** Milliseconds. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

interface State {
  readonly uri: string;
  text: string;
  version: number;
  /** When the text was set, and before that; milliseconds. */
  setAt: number;
  /** Number of texts and rechecks so far. `done` is the revision of the last completed check, `viewed` the revision of `view`. */
  revision: number;
  /** How many of them were not because of a new text. */
  surroundings: number;
  done: number;
  viewed: number;
  edited: boolean;
  syntax?: SyntaxView;
  /** The tree of an earlier text. */
  tree?: SyntaxFile;
  view?: View;
  /** A view with a whole plan and nothing simulated. */
  planned?: { readonly revision: number; readonly view: View };
  /** What the last check left for the next. */
  earlier?: Analysis;
  check?: Check;
  /** Not to be checked before. */
  notBefore: number;
  /** When it was edited or a request named it last. */
  askedAt: number;
  waiting: (() => void)[];
}

/** A check that has begun. */
interface Check {
  readonly revision: number;
  readonly options: EngineOptions;
  readonly round: Round;
  readonly steps: Generator<CheckStep, Analysis, void>;
  /** It has waited for answers for long enough to say so. */
  late: boolean;
  /** Everything but the tests of schedules has been given out. */
  figured: boolean;
  /** A plan that the host does not know of, and when it was made: milliseconds. */
  unannounced?: { readonly view: View; readonly since: number };
}

/** Milliseconds of checking between two looks at the input. */
const slice = 8;
/** Milliseconds that a plan waits for its figures: announcing it takes time, and diagnostics would come later by as much. */
const planPatience = 16;
/** Edits that follow each other within this many milliseconds are a burst. Its last text is checked after a pause. */
export const burst = 50;
const pause = 10;
const usualPatience = 250;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const usualClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

export function createDocuments(host: DocumentsHost): Documents {
  const clock = host.clock ?? usualClock;
  const states = new Map<string, State>();
  /** Of views with findings from after their check: the view of the check. */
  const extended = new WeakMap<View, View>();
  let queue: State[] = [];
  let running = false;
  let slices = 0;

  function request(state: State, first: boolean): void {
    state.revision += 1;
    if (!first) state.surroundings += 1;
    enqueue(state, first);
  }

  function enqueue(state: State, first: boolean): void {
    queue = queue.filter((other) => other !== state);
    if (first) queue.unshift(state);
    else queue.push(state);
    if (!running) void run();
  }

  /**
   * The document that was edited or asked about last: an editor asks about those that it shows. One slice in four goes to whichever has
   * waited longest, so that none waits for ever.
   */
  function nextOf(ready: readonly State[]): State | undefined {
    slices += 1;
    if (slices % 4 === 0) return ready[0];
    return ready.reduce<State | undefined>(
      (last, state) => (last === undefined || state.askedAt > last.askedAt ? state : last),
      undefined,
    );
  }

  /** A slice of one document after the other. */
  async function run(): Promise<void> {
    running = true;
    await host.ready;
    for (;;) {
      await nextTurn();
      const now = clock.now();
      const state = nextOf(queue.filter(({ notBefore }) => notBefore <= now));
      if (state === undefined && queue.length > 0) {
        await clock.sleep(Math.max(1, Math.min(...queue.map(({ notBefore }) => notBefore)) - now));
        continue;
      }
      if (state === undefined) break;
      queue = queue.filter((other) => other !== state);
      advance(state);
    }
    running = false;
  }

  function advance(state: State): void {
    try {
      const check = state.check?.revision === state.revision ? state.check : begin(state);
      const until = clock.now() + slice;
      for (;;) {
        const step = check.steps.next();
        if (step.done) return finish(state, check, step.value);
        if (typeof step.value !== 'string') {
          if ('pipelines' in step.value) return wait(state, check, step.value);
          showPlan(state, check, step.value);
        }
        const now = clock.now();
        if (now < until) continue;
        if (check.unannounced !== undefined && now >= check.unannounced.since + planPatience) announcePlan(check);
        return enqueue(state, false);
      }
    } catch (error) {
      state.check = undefined;
      state.view = undefined;
      state.edited = false;
      host.answers.release(state.uri);
      end(state);
      host.failed(state.uri, error);
    }
  }

  function begin(state: State): Check {
    const options = host.options();
    const { syntax } = syntaxOf(state);
    const { pipelines = [], jobs, pending } = state.earlier ?? {};
    const round = host.answers.check(state.uri);
    const { uri, text, revision } = state;
    const unknown = new Set(pending);
    const earlier = { syntax, pipelines: pipelines.filter(({ plan }) => !unknown.has(plan.name)), jobs };
    const steps = checkSteps({ uri, text, host: host.files, options, earlier, searches: round });
    const check = { revision, options, round, steps, late: false, figured: false };
    state.check = check;
    return check;
  }

  function finish(state: State, check: Check, analysis: Analysis): void {
    const { edited } = state;
    const view = show(state, check, analysis);
    state.check = undefined;
    end(state);
    state.edited = false;
    notify(state, () => host.checked(view, edited));
  }

  /** Goes on with the check when the answers are there, or says that they take long. */
  function wait(state: State, check: Check, analysis: Analysis): void {
    const view = show(state, check, analysis);
    wake(state);
    if (!check.figured && hasFigures(analysis)) {
      check.figured = true;
      notify(state, () => host.untested(view));
    }
    announcePlan(check);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resume = (): void => {
      clearTimeout(timer);
      if (state.check === check && state.revision === check.revision) enqueue(state, false);
    };
    if (check.late) notify(state, () => host.waiting(view));
    else {
      timer = setTimeout(() => {
        check.late = true;
        resume();
      }, host.patience ?? usualPatience);
    }
    void check.round.answered().then(resume);
  }

  function show(state: State, { round, options }: Check, analysis: Analysis): View {
    round.asked();
    const view = { ...syntaxOf(state), analysis, files: host.files, options };
    state.view = view;
    state.viewed = state.revision;
    state.earlier = analysis;
    return view;
  }

  /** Whoever needs the plan alone gets it now: simulating takes longer than planning, and a preview simulates it too. */
  function showPlan(state: State, check: Check, { syntax, resolution }: Planned): void {
    const { revision, options } = check;
    const pending = resolution.plan.pipelines.map(({ name }) => name);
    const analysis = {
      uri: state.uri,
      syntax,
      resolution,
      pipelines: [],
      jobs: [],
      tests: [],
      findings: [],
      pending,
      untested: [],
    };
    const view = { ...syntaxOf(state), analysis, files: host.files, options };
    state.planned = { revision, view };
    check.unannounced = { view, since: clock.now() };
    wake(state);
  }

  /** Figures that are there at once are not kept waiting: `checked` says both. */
  function announcePlan(check: Check): void {
    const { unannounced } = check;
    check.unannounced = undefined;
    if (unannounced !== undefined) notify(unannounced.view, () => host.planned(unannounced.view));
  }

  function end(state: State): void {
    state.done = state.revision;
    state.viewed = state.revision;
    wake(state);
  }

  function notify({ uri }: Pick<State, 'uri'>, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      host.failed(uri, error);
    }
  }

  function syntaxOf(state: State): SyntaxView {
    if (state.syntax !== undefined) return state.syntax;
    const { limits } = host.options();
    const syntax = parse(state.text, { size: limits.fileSize, faults: limits.findings }, state.tree);
    state.tree = syntax;
    state.syntax = { uri: state.uri, version: state.version, syntax, lines: new LineIndex(state.text) };
    return state.syntax;
  }

  function filesChanged(uris: readonly string[]): void {
    const changed = new Set(uris.map(normal));
    for (const state of states.values()) {
      const imports = state.earlier?.resolution.imports ?? [];
      if (imports.some((uri) => uri !== state.uri && changed.has(normal(uri)))) request(state, false);
    }
  }

  return {
    set(uri, version, text) {
      const now = clock.now();
      const state: State = states.get(uri) ?? {
        uri,
        text,
        version,
        setAt: -Infinity,
        revision: 0,
        surroundings: 0,
        done: 0,
        viewed: 0,
        edited: true,
        notBefore: 0,
        askedAt: 0,
        waiting: [],
      };
      states.set(uri, state);
      const notBefore = now - state.setAt < burst ? now + pause : 0;
      state.text = text;
      state.version = version;
      state.edited = true;
      state.syntax = undefined;
      state.setAt = now;
      state.askedAt = now;
      state.notBefore = notBefore;
      request(state, true);
      filesChanged([uri]);
    },
    close(uri) {
      const state = states.get(uri);
      if (state === undefined) return;
      states.delete(uri);
      state.revision += 1;
      queue = queue.filter((other) => other !== state);
      host.answers.release(uri);
      wake(state);
      host.closed(uri);
      filesChanged([uri]);
    },
    text: (uri) => states.get(uri)?.text,
    uris: () => [...states.keys()],
    surroundings: (uri) => states.get(uri)?.surroundings,
    recheck(uris = [...states.keys()]) {
      for (const uri of uris) {
        const state = states.get(uri);
        if (state === undefined) continue;
        state.syntax = undefined;
        request(state, false);
      }
    },
    extend(view, findings) {
      const state = states.get(view.uri);
      const isNewest = state?.view === view || (state?.view !== undefined && extended.get(state.view) === view);
      if (state === undefined || !isNewest || state.done !== state.revision) return undefined;
      const { analysis, options } = view;
      const before = analysis.findings;
      const isFull = findings.length > before.length && findings.length >= options.limits.findings;
      const isSame = findings.length === before.length && findings.every((found, index) => found === before[index]);
      if (isFull || isSame) return undefined;
      const all = findings.toSorted((a, b) => a.place.start - b.place.start || a.place.end - b.place.end);
      state.view = { ...view, analysis: { ...analysis, findings: all } };
      extended.set(state.view, view);
      return state.view;
    },
    filesChanged,
    syntax(uri) {
      const state = states.get(uri);
      return state === undefined ? undefined : syntaxOf(state);
    },
    async view(uri, need, token) {
      for (;;) {
        const state = states.get(uri);
        if (state === undefined || token.isCancellationRequested) return undefined;
        state.askedAt = clock.now();
        if (state.done === state.revision) return state.view;
        if (need === 'plan' && state.planned?.revision === state.revision) return state.planned.view;
        if (state.viewed === state.revision && state.view !== undefined && has(state, state.view, need))
          return state.view;
        await changed(state, token);
      }
    },
    answered: (uri, work, token) => answered(uri, (searches) => Promise.resolve({ value: work(searches) }), token),
    answeredInSteps(uri, work, token) {
      const revision = states.get(uri)?.revision;
      const isStale = () => token.isCancellationRequested || states.get(uri)?.revision !== revision;
      return answered(uri, (searches) => inSlices(work(searches), isStale), token);
    },
  };

  /** Runs `work` again when what it asked is answered. */
  async function answered<R>(
    uri: string,
    work: (searches: Searches) => Promise<{ readonly value: R } | undefined>,
    token: CancellationToken,
  ): Promise<R | undefined> {
    const round = host.answers.request(uri);
    try {
      for (;;) {
        let open = false;
        const found = await work({
          answer(search, problem) {
            const answer = round.answer(search, problem);
            if (answer === undefined) open = true;
            return answer;
          },
        });
        if (!open || found === undefined) return found?.value;
        await Promise.race([round.answered(), cancelled(token)]);
        if (token.isCancellationRequested) return undefined;
      }
    } finally {
      round.release();
    }
  }
}

/** Undefined once nobody wants the result. */
async function inSlices<R>(
  steps: Generator<unknown, R, void>,
  isStale: () => boolean,
): Promise<{ readonly value: R } | undefined> {
  for (;;) {
    const until = performance.now() + slice;
    do {
      const step = steps.next();
      if (step.done) return { value: step.value };
    } while (performance.now() < until);
    await nextTurn();
    if (isStale()) return undefined;
  }
}

const hasFigures = ({ pending, untested }: Analysis): boolean => pending.length === untested.length;

const has = ({ check }: State, { analysis }: View, need: Need): boolean =>
  need === 'names' ||
  (need === 'plan' && analysis.resolution.pending.length === 0) ||
  (need === 'figures' && hasFigures(analysis)) ||
  (need === 'soon' && check?.late === true);

function wake(state: State): void {
  const waiting = state.waiting;
  state.waiting = [];
  for (const resume of waiting) resume();
}

function changed(state: State, token: CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const cancelled = token.onCancellationRequested(() => resolve());
    state.waiting.push(() => {
      cancelled.dispose();
      resolve();
    });
  });
}

/** Settled once nobody wants the answer. */
export const cancelled = (token: CancellationToken): Promise<void> =>
  new Promise((resolve) => {
    token.onCancellationRequested(() => resolve());
  });
