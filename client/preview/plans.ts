/** Searches for the fastest plan that a preview asks for. The page names rows; the server knows their texts. */
import type { FromPage } from '../../webview/protocol/messages.ts';
import {
  type FindPlanAnswer,
  type FindPlanRequest,
  methods,
  type Overrides,
  type PlanEdited,
  type PlanFound,
  type PlanRowAnswer,
  type PlanRowRequest,
  type StopPlan,
} from '../../webview/protocol/requests.ts';
import type { TriedFix } from './help.ts';
import { keptPlan } from './keptPlan.ts';
import { keptSearches, type Search } from './keptSearches.ts';
import { savePlan } from './savePlan.ts';
import { writeEdits } from './source.ts';
import type { PreviewContext } from './context.ts';

type PlanMessage = Extract<
  FromPage,
  { readonly type: 'findPlan' | 'stopPlan' | 'planView' | 'writePlan' | 'showPlan' | 'savePlan' }
>;

/** Numbers of searches, of all previews. */
let searches = 0;

/** What a message says of a search. */
const asks = ({ pipeline, more, overrides }: Pick<Extract<PlanMessage, { type: 'findPlan' }>, Asked>) => ({
  ...(pipeline === undefined ? {} : { pipeline }),
  ...(more === undefined ? {} : { more }),
  ...(overrides === undefined ? {} : { overrides }),
});
type Asked = 'pipeline' | 'more' | 'overrides';

export function createPlans({ requests, uri, overrides, setOverrides, post, refresh }: PreviewContext) {
  const kept = keptSearches({ uri, post });
  const { of, shown, tell, note, numbered } = kept;
  let trying: TriedFix | undefined;
  /** Sliders as they were before a row was shown, whose figures are of the file. */
  let before: Overrides | undefined;

  async function find({ request, pipeline, more, overrides: values }: Extract<PlanMessage, { type: 'findPlan' }>) {
    const file = uri();
    if (file === undefined) return;
    searches += 1;
    const number = searches;
    const last = shown();
    const isMore = more === true && last !== undefined;
    if (isMore) {
      last.number = number;
      last.kept.goesOn(request);
    }
    const search = isMore ? last : { uri: file, number, kept: keptPlan(request, pipeline) };
    kept.keep(search);
    const what = asks({ pipeline, more, overrides: values });
    const asked: FindPlanRequest = { uri: file.toString(), search: number, ...what };
    const answer = await requests.send<FindPlanAnswer>(methods.findPlan, asked);
    if (search.number !== number) return;
    const { request: now } = search.kept;
    if (answer === undefined || answer === null)
      tell(search, { type: 'planEnd', request: now, problem: 'The language server gave no answer. Search again.' });
    else if ('outdated' in answer) tell(search, { type: 'planEdited', request: now, matters: true });
    else tell(search, { type: 'planEnd', request: now, ...answer });
  }

  async function row(search: Search, wanted: number): Promise<Exclude<PlanRowAnswer, null>> {
    const asked: PlanRowRequest = { uri: search.uri.toString(), search: search.number, row: wanted };
    const answer = await requests.send<PlanRowAnswer>(methods.planRow, asked);
    return answer ?? { problem: 'The language server gave no answer. Search again.' };
  }

  /** What a row of the search with that request would write. */
  async function rowOf(request: number, wanted: number): Promise<Exclude<PlanRowAnswer, null>> {
    const search = of(request);
    return search === undefined ? { problem: 'The search is not there any more. Search again.' } : row(search, wanted);
  }

  /** The row on show ends, and sliders that were not moved since are as before. */
  function endTrial(): void {
    trying = undefined;
    if (before !== undefined && Object.keys(overrides()).length === 0) setOverrides(before);
    before = undefined;
  }

  async function write({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'writePlan' }>) {
    const search = of(request);
    const answer = search === undefined ? undefined : await row(search, wanted);
    endTrial();
    if (search === undefined || answer === undefined) return refresh();
    search.kept.tried = undefined;
    if ('problem' in answer) {
      note(search, answer.problem);
      return refresh();
    }
    const isWritten = await writeEdits(search.uri, answer.version, answer.edits);
    note(search, isWritten ? 'The plan was written into the file.' : 'Nothing was written: the file has changed.');
    // Without a change of the text, nothing else shows the file again.
    if (!isWritten || answer.edits.every(({ newText }) => newText === '')) await refresh();
  }

  async function show({ request, row: wanted }: Extract<PlanMessage, { readonly type: 'showPlan' }>): Promise<void> {
    const search = of(request);
    const answer = search === undefined || wanted < 0 ? undefined : await row(search, wanted);
    endTrial();
    if (search !== undefined) search.kept.tried = undefined;
    if (search !== undefined && answer !== undefined) {
      if ('problem' in answer) note(search, answer.problem);
      else {
        trying = { title: 'A plan of the search', trial: { version: answer.version, edits: answer.edits } };
        search.kept.tried = wanted;
        before = overrides();
        setOverrides({});
      }
    }
    await refresh();
  }

  const stop = ({ number }: Search): void => requests.notify(methods.stopPlan, { search: number } satisfies StopPlan);

  return {
    rowOf,
    receive(message: PlanMessage): Promise<void> | void {
      switch (message.type) {
        case 'findPlan':
          return find(message);
        case 'stopPlan': {
          const search = of(message.request);
          if (search !== undefined) stop(search);
          return undefined;
        }
        case 'planView': {
          const search = of(message.request);
          if (search !== undefined) search.kept.isOpen = message.open;
          return undefined;
        }
        case 'writePlan':
          return write(message);
        case 'showPlan':
          return show(message);
        case 'savePlan':
          return savePlan(requests, of(message.request), message.format, note);
      }
    },
    /** What a search has found; searches of other previews are left out. */
    found({ search: number, ...found }: PlanFound): void {
      const search = numbered(number);
      if (search !== undefined) tell(search, { type: 'planFound', request: search.kept.request, ...found });
    },
    edited({ search: number, ...edited }: PlanEdited): void {
      const search = numbered(number);
      if (search === undefined) return;
      // Nobody can come back to it.
      if (edited.matters && shown() !== search) kept.forget(search);
      tell(search, { type: 'planEdited', request: search.kept.request, ...edited });
    },
    /** The row on show; undefined once the text has another version. */
    tried(version: number): TriedFix | undefined {
      if (trying !== undefined && trying.trial.version !== version) endTrial();
      return trying;
    },
    /** The text has changed: a row on show has to end. */
    textChanged(version: number): void {
      if (trying !== undefined && trying.trial.version !== version) void refresh();
    },
    /** What the page needs of the search of the file on show. */
    resume(): void {
      const search = shown();
      if (search !== undefined) post(search.kept.message(search.uri.toString()));
    },
    /** The preview shows another file: no row of this one is shown any more. */
    leave(): void {
      endTrial();
      const search = shown();
      if (search !== undefined) search.kept.tried = undefined;
    },
    /** The preview is closed: nobody waits for its searches. */
    closed(): void {
      for (const search of kept.all()) stop(search);
      kept.clear();
      trying = undefined;
      before = undefined;
    },
  };
}
