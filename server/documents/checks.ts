/** Checks of open documents, in slices. A check whose text is no longer the newest is dropped. */
import { type Analysis, type CheckStep, checkSteps, type Planned, reportedFindings } from '../../engine/flow/check.ts';
import type { Arriving } from '../../platform/common/files.ts';
import { lazy } from '../../engine/basics/lazy.ts';
import { messageSteps } from '../../engine/findings/finding.ts';
import type { View } from '../view.ts';
import { slice } from './eventLoop.ts';
import { createFirsts } from './firsts.ts';
import type { Clock, DocumentsHost } from './host.ts';
import { hasFigures } from './need.ts';
import { type Check, type OpenDocument, syntaxOf, wake } from './openDocument.ts';
import type { Turns } from './turns.ts';

/** Milliseconds that a plan waits for its figures: announcing it takes time, and diagnostics would come later by as much. */
const planPatience = 16;
const usualPatience = 250;

/** The same, with the words of its findings. Some take longer than a simulation, so they are steps too. */
function* worded(steps: Generator<CheckStep, Analysis, void>): Generator<CheckStep, Analysis, void> {
  for (;;) {
    const { done, value } = steps.next();
    if (typeof value !== 'string' && 'pipelines' in value)
      for (const finding of value.findings) {
        for (const _ of messageSteps(finding)) yield 'evaluated';
        yield 'evaluated';
      }
    if (done === true) return value;
    yield value;
  }
}

/** What was found so far took files for missing that have not arrived: it is forgotten. */
function waitForFiles(document: OpenDocument, arriving: Arriving, turns: Pick<Turns, 'add'>): void {
  const { revision } = document;
  document.check = undefined;
  void arriving.settled().then(() => {
    if (document.revision === revision) turns.add(document, false);
  });
}

/** A slice of the check of a document. */
export function createChecks(host: DocumentsHost, clock: Clock, turns: Pick<Turns, 'add'>) {
  const firsts = createFirsts((view) => notify(view, () => host.waiting(view)));

  function advance(document: OpenDocument): void {
    firsts.pass(document);
    try {
      const until = clock.now() + slice;
      const check = document.check?.revision === document.revision ? document.check : begin(document);
      for (;;) {
        const before = host.files.arriving?.count();
        const step = check.steps.next();
        if (host.files.arriving !== undefined && host.files.arriving.count() !== before)
          return waitForFiles(document, host.files.arriving, turns);
        if (step.done) return finish(document, check, step.value);
        if (typeof step.value !== 'string') {
          if ('pipelines' in step.value) return wait(document, check, step.value);
          showPlan(document, check, step.value);
        }
        const now = clock.now();
        if (now < until) continue;
        if (check.unannounced !== undefined && now >= check.unannounced.since + planPatience) announcePlan(check);
        return turns.add(document, false);
      }
    } catch (error) {
      document.check = undefined;
      document.view = undefined;
      document.edited = false;
      host.answers.release(document.uri);
      end(document);
      host.failed(document.uri, error);
    }
  }

  function begin(document: OpenDocument): Check {
    const options = host.options();
    const { syntax } = syntaxOf(document, host);
    const { pipelines = [], jobs, pending, resolution } = document.earlier ?? {};
    const round = host.answers.check(document.uri);
    const { uri, text, revision } = document;
    const unknown = new Set(pending);
    const earlier = {
      syntax,
      pipelines: pipelines.filter(({ plan }) => !unknown.has(plan.name)),
      jobs,
      ...(resolution && { resolution }),
    };
    const steps = worded(checkSteps({ uri, text, host: host.files, options, earlier, searches: round }));
    const check = { revision, options, round, steps, late: false, figured: false };
    document.check = check;
    return check;
  }

  function finish(document: OpenDocument, check: Check, analysis: Analysis): void {
    const { edited } = document;
    const view = show(document, check, analysis);
    document.check = undefined;
    end(document);
    document.edited = false;
    notify(document, () => host.checked(view, edited));
  }

  /** Goes on with the check when the answers are there, or says that they take long. */
  function wait(document: OpenDocument, check: Check, analysis: Analysis): void {
    const view = show(document, check, analysis);
    wake(document);
    if (!check.figured && hasFigures(analysis)) {
      check.figured = true;
      notify(document, () => host.untested(view));
    }
    announcePlan(check);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resume = (): void => {
      clearTimeout(timer);
      if (document.check === check && document.revision === check.revision) turns.add(document, false);
    };
    if (check.late) notify(document, () => host.waiting(view));
    else {
      timer = setTimeout(() => {
        check.late = true;
        resume();
      }, host.patience ?? usualPatience);
    }
    void check.round.answered().then(resume);
  }

  function show(document: OpenDocument, { round, options }: Check, analysis: Analysis): View {
    round.asked();
    const view = { ...syntaxOf(document, host), analysis, files: host.files, options };
    document.view = view;
    document.viewed = document.revision;
    document.earlier = analysis;
    return view;
  }

  /** Whoever needs the plan alone gets it now: simulating takes longer than planning, and a preview simulates it too. */
  function showPlan(document: OpenDocument, check: Check, { syntax, resolution }: Planned): void {
    const { revision, options } = check;
    const pending = resolution.plan.pipelines.map(({ name }) => name);
    const findings = lazy(() => reportedFindings(document.uri, resolution.findings, options));
    const analysis = {
      uri: document.uri,
      syntax,
      resolution,
      pipelines: [],
      jobs: [],
      tests: [],
      // Publishing waits for the figures: nobody but a request looks at them earlier.
      get findings() {
        return findings();
      },
      pending,
      untested: [],
    };
    const view = { ...syntaxOf(document, host), analysis, files: host.files, options };
    document.planned = { revision, view };
    check.unannounced = { view, since: clock.now() };
    if (document.earlier === undefined) firsts.add(document, check, view);
    wake(document);
  }

  /** Figures that are there at once are not kept waiting: `checked` says both. */
  function announcePlan(check: Check): void {
    const { unannounced } = check;
    check.unannounced = undefined;
    if (unannounced !== undefined) notify(unannounced.view, () => host.planned(unannounced.view));
  }

  function end(document: OpenDocument): void {
    document.done = document.revision;
    document.viewed = document.revision;
    wake(document);
  }

  function notify({ uri }: Pick<OpenDocument, 'uri'>, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      host.failed(uri, error);
    }
  }

  return advance;
}
