/** Searches over the settings of pipelines of open documents: one runs at a time, and the last one of each document is kept. */
import type { CancellationToken } from 'vscode-languageserver';
import { rowCount } from '../../engine/sweep/axes.ts';
import { parse } from '../../grammar/index.ts';
import type {
  FindPlanAnswer,
  FindPlanRequest,
  PlanEdited,
  PlanFileAnswer,
  PlanFileRequest,
  PlanFound,
  PlanRowAnswer,
  PlanRowRequest,
} from '../../webview/protocol/requests.ts';
import type { Platform } from '../../platform/common/platform.ts';
import type { Documents } from '../documents/documents.ts';
import { minimalEdit } from '../text/minimalEdit.ts';
import { planCsv, planJson } from './planData.ts';
import { prepareSteps, type PreparedPlan } from './planPreparation.ts';
import type { PlanSearchHost } from './planSearch.ts';
import { searchKey, withoutRow, withRow, type WrittenRow } from './planTexts.ts';
import { withValues } from './valueEdits.ts';
import { rangeIn, type View } from '../view.ts';

export interface PlanSearches {
  find(view: View, asked: FindPlanRequest, token: CancellationToken): Promise<FindPlanAnswer>;
  stop(search: number): void;
  row(view: View, asked: PlanRowRequest): PlanRowAnswer;
  file(asked: PlanFileRequest): PlanFileAnswer;
  /** The text of a document, or something around it, may have changed, or it is closed. */
  changed(uri: string): void;
  close(): void;
}

export interface PlanSearchesHost extends Pick<PlanSearchHost, 'threads'> {
  readonly platform: Platform;
  readonly documents: Pick<Documents, 'answeredInSteps' | 'syntax' | 'surroundings'>;
  found(found: PlanFound): void;
  edited(edited: PlanEdited): void;
}

interface Known extends PreparedPlan {
  readonly surroundings: number | undefined;
  /** Rows that were asked for as texts, by the key of the file with the row in it. */
  readonly written: Map<string, WrittenRow>;
  /** What the client knows of the file. */
  state: State;
  /** Number that the client gave it last. */
  number: number;
  /** Settled when it does not run. */
  ran: Promise<unknown>;
}
type State = Omit<PlanEdited, 'search'>;

const changedText = 'The file has changed since this search. Search again.';
const replacedText = 'Another search of this file has begun since. Search again.';

export function createPlanSearches({ documents, platform, threads, found, edited }: PlanSearchesHost): PlanSearches {
  const known = new Map<string, Known>();
  /** The search that was asked for last: one that is still being prepared does not begin after it. */
  let newest = -1;

  function stateOf({ uri, head, surroundings, key, written }: Known): State {
    const now = documents.syntax(uri);
    if (now === undefined || documents.surroundings(uri) !== surroundings) return { matters: true };
    const found = searchKey(now.syntax, head.pipeline);
    const row = written.get(found)?.row;
    return { matters: row === undefined && found !== key, ...(row === undefined ? {} : { row }) };
  }

  function* inSurroundings(...given: Parameters<typeof prepareSteps>) {
    const made = yield* prepareSteps(...given);
    return 'problem' in made ? made : { ...made, surroundings: documents.surroundings(made.uri) };
  }

  async function find(view: View, asked: FindPlanRequest, token: CancellationToken): Promise<FindPlanAnswer> {
    newest = asked.search;
    for (const { search } of known.values()) search.stop();
    const before = known.get(view.uri);
    if (asked.more === true && before !== undefined && !stateOf(before).matters) {
      await before.ran;
      if (newest !== asked.search) return { outdated: true };
      before.number = asked.search;
      return run(before);
    }
    const made = await documents.answeredInSteps(
      view.uri,
      (searches) => inSurroundings(view, asked, searches, platform.version),
      token,
    );
    if (made === undefined) return { outdated: true };
    if ('problem' in made) return made;
    if (newest !== asked.search) return { outdated: true };
    known.get(view.uri)?.search.drop();
    const next: Known = {
      ...made,
      written: new Map(),
      state: { matters: false },
      number: asked.search,
      ran: Promise.resolve(),
    };
    known.set(view.uri, next);
    return run(next);
  }

  async function run(one: Known): Promise<FindPlanAnswer> {
    const { number } = one;
    found({ search: number, head: one.head, points: [], looked: 0, total: rowCount(one.head.axes) });
    const ran = one.search.run({
      platform,
      ...(threads === undefined ? {} : { threads }),
      found: (part) => found({ search: number, ...part }),
    });
    one.ran = ran.catch(() => undefined);
    const answer = await ran;
    if (answer === undefined) return { outdated: true };
    // Its points went ahead, and the page needs no hashes.
    const { points: _, source: __, ...figures } = answer;
    // A row writes the values of sliders, too.
    const changes = [...one.moved, ...(figures.changes ?? [])];
    return { figures: changes.length === 0 ? figures : { ...figures, changes } };
  }

  /** Tells the client what the file is now, if that is not what it was. */
  function tell(one: Known): void {
    const state = stateOf(one);
    if (state.matters === one.state.matters && state.row === one.state.row) return;
    one.state = state;
    edited({ search: one.number, ...state });
  }

  const of = (uri: string, number: number): Known | undefined => {
    const found = known.get(uri);
    return found?.number === number ? found : undefined;
  };

  return {
    find,
    stop(number) {
      for (const one of known.values()) if (one.number === number) one.search.stop();
    },
    row(view, { search: number, row }) {
      const one = of(view.uri, number);
      if (one === undefined) return { problem: known.has(view.uri) ? replacedText : changedText };
      const { base, asked } = one.search;
      if (!Number.isSafeInteger(row) || row < 0 || row >= rowCount(asked.axes))
        return { problem: `The search has no row ${row}.` };
      const { syntax, version } = view;
      const now = searchKey(syntax, base.pipeline);
      const earlier = one.written.get(now);
      if ((earlier === undefined && now !== one.key) || documents.surroundings(view.uri) !== one.surroundings)
        return { problem: changedText };
      const before = earlier === undefined ? syntax.text : withoutRow(syntax.text, earlier);
      if (typeof before !== 'string') return { problem: `Row ${row} cannot be written: ${before.refused}.` };
      if (earlier !== undefined && keyOf(before, base.pipeline) !== keyOf(earlier.before, base.pipeline))
        return { problem: changedText };
      const from = earlier === undefined ? withValues(view, one.head.overrides ?? {}) : before;
      if (from === undefined) return { problem: changedText };
      const written = withRow(base, asked.axes, row, from);
      if ('refused' in written) return { problem: `Row ${row} cannot be written: ${written.refused}.` };
      one.written.set(keyOf(written.after, base.pipeline), written);
      // The file may be this row as it is.
      tell(one);
      const edit = minimalEdit(syntax.text, written.after);
      return { version, edits: [{ range: rangeIn(view, edit), newText: edit.text }] };
    },
    file({ uri, search: number, format }) {
      const answer = of(uri, number)?.search.answer();
      if (answer === undefined) return { problem: 'This search has not ended.' };
      return { text: format === 'csv' ? planCsv(answer) : planJson(answer) };
    },
    changed(uri) {
      const one = known.get(uri);
      if (one === undefined) return;
      if (documents.syntax(uri) === undefined) {
        one.search.drop();
        known.delete(uri);
      } else if (stateOf(one).matters) one.search.stop();
      tell(one);
    },
    close() {
      for (const { search } of known.values()) search.drop();
    },
  };
}

const keyOf = (text: string, pipeline: string): string => searchKey(parse(text), pipeline);
