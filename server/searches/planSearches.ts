/** Searches over the settings of pipelines of open documents: one runs at a time, and the last one of each document is kept. */
import { packageVersion } from '../packageVersion.ts';
import { answerSource } from './answerSource.ts';
import type { CancellationToken } from 'vscode-languageserver';
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import type { Change } from '../../engine/sweep/answer.ts';
import { rowCount } from '../../engine/sweep/axes.ts';
import { axesProblemSteps } from '../../engine/sweep/axesProblem.ts';
import { sweepBaseSteps } from '../../engine/sweep/base.ts';
import { defaultAxes } from '../../engine/sweep/defaultAxes.ts';
import { rememberingHost } from '../../engine/basics/knownFiles.ts';
import { resolveSteps } from '../../engine/flow/resolve.ts';
import { type BlockDeclaration, parse } from '../../grammar/index.ts';
import type {
  FindPlanAnswer,
  FindPlanRequest,
  Overrides,
  PlanEdited,
  PlanFileAnswer,
  PlanFileRequest,
  PlanFound,
  PlanHead,
  PlanRowAnswer,
  PlanRowRequest,
} from '../../webview/protocol/requests.ts';
import type { Documents } from '../documents/documents.ts';
import { fileName } from '../text/fileName.ts';
import { minimalEdit } from '../text/minimalEdit.ts';
import { planCsv, planJson } from './planData.ts';
import { type PlanSearch, planSearch, type PlanSearchHost } from './planSearch.ts';
import { searchKey, withoutRow, withRow, type WrittenRow } from './planTexts.ts';
import { paramEdit } from '../edits/paramEdit.ts';
import { toSpan } from '../text/convert.ts';
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
  readonly documents: Pick<Documents, 'answeredInSteps' | 'syntax' | 'surroundings'>;
  found(found: PlanFound): void;
  edited(edited: PlanEdited): void;
}

interface Known {
  readonly search: PlanSearch;
  readonly head: PlanHead;
  /** Values of sliders that the search has and the file has not. */
  readonly moved: readonly Change[];
  readonly uri: string;
  readonly surroundings: number | undefined;
  /** Key of the file when the search began. */
  readonly key: string;
  /** Rows that were asked for as texts, by the key of the file with the row in it. */
  readonly written: Map<string, WrittenRow>;
  /** What the client knows of the file. */
  state: State;
  /** Number that the client gave it last. */
  number: number;
  /** Settled when it does not run. */
  ran: Promise<unknown>;
}
type Prepared = Pick<Known, 'search' | 'head' | 'moved' | 'uri' | 'surroundings' | 'key'>;
type State = Omit<PlanEdited, 'search'>;

const changedText = 'The file has changed since this search. Search again.';
const replacedText = 'Another search of this file has begun since. Search again.';

export function createPlanSearches({ documents, threads, found, edited }: PlanSearchesHost): PlanSearches {
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
    const made = await documents.answeredInSteps(view.uri, (searches) => prepared(view, asked, searches), token);
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

  function* prepared(
    view: View,
    asked: FindPlanRequest,
    searches: Parameters<typeof sweepBaseSteps>[3],
  ): Generator<unknown, Prepared | Extract<FindPlanAnswer, { readonly problem: string }>, void> {
    const { uri, version, files, options, analysis } = view;
    const { overrides = {} } = asked;
    const edits = valueEdits(view, overrides);
    if (edits === undefined)
      return {
        problem:
          'A slider has a value that cannot be written into this file. Reset it, or search with the values of the file.',
      };
    const text = apply(view.syntax.text, edits);
    const isFile = text === view.syntax.text;
    const syntax = isFile
      ? view.syntax
      : parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
    const resolution = isFile
      ? analysis.resolution
      : yield* resolveSteps({ uri, syntax, host: files, options, searches });
    const blocks = syntax.declarations.filter((each): each is BlockDeclaration => each.kind === 'block');
    const named = (keyword: string): string | undefined =>
      blocks.find((block) => block.keyword.text === keyword && block.name !== undefined)?.name?.text;
    const pipeline = asked.pipeline ?? named('search') ?? named('pipeline');
    if (pipeline === undefined) return { problem: 'This file has no pipeline to search.' };
    const block = blocks.find(({ keyword, name }) => keyword.text === 'search' && name?.text === pipeline);
    const definition = resolution.searches.find((search) => search.pipeline === pipeline);
    if (block !== undefined && definition === undefined) {
      const error = resolution.findings.find(
        ({ severity, place }) =>
          severity === 'error' && place.uri === uri && place.start >= block.start && place.end <= block.end,
      );
      const problem = error?.message ?? 'This search cannot be read.';
      return isFile ? { problem, range: rangeIn(view, error?.place ?? block.keyword) } : { problem };
    }
    const { limits = [], minimise = 'iteration' } = definition ?? {};
    const host = rememberingHost(files);
    const file = { uri, text, host, options };
    const base = yield* sweepBaseSteps(file, pipeline, limits, searches);
    if ('problem' in base) return { problem: `"${pipeline}" cannot be searched. ${base.problem.message}` };
    const isDefault = definition === undefined || definition.axes.length === 0;
    const axes = isDefault ? defaultAxes(base) : definition.axes;
    const problem = yield* axesProblemSteps(base, axes);
    if (problem !== undefined)
      return {
        problem,
        ...(block === undefined || !isFile ? {} : { range: rangeIn(view, block.name ?? block.keyword) }),
      };
    const head: PlanHead = {
      pipeline,
      version,
      axes,
      isDefault,
      ...(isFile ? {} : { overrides }),
      minimise,
      limits,
      devices: base.devices,
      batch: base.batch,
      ...(base.capacity === undefined ? {} : { capacity: base.capacity }),
      ...(base.peakLimit === undefined ? {} : { peakLimit: base.peakLimit }),
    };
    const { files: texts, paths } = host;
    const source = { uri, text, options, pipeline, limits, axes, files: texts, paths };
    const about = { file: fileName(uri), source: answerSource(source, packageVersion()), axes, minimise, limits };
    const search = planSearch(base, source, about);
    const key = searchKey(view.syntax, pipeline);
    const moved = edits.map((edit) => changeOf(view.syntax.text, edit));
    return { search, head, moved, uri, surroundings: documents.surroundings(uri), key };
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

interface ValueEdit extends Edit {
  readonly name: string;
}

/** Edits that give a file these values of params; undefined if one of them cannot be written. */
function valueEdits(view: View, overrides: Overrides): readonly ValueEdit[] | undefined {
  const edits = Object.entries(overrides).flatMap(([name, value]) => {
    const edit = paramEdit(view, { uri: view.uri, name, value });
    return edit === null ? [] : [{ name, ...toSpan(view.lines, edit.range), text: edit.newText }];
  });
  // Two arguments that a call lacks would be written at one place.
  const places = new Set(edits.map(({ start }) => start));
  return places.size < Object.keys(overrides).length ? undefined : edits;
}

/** The text of a file with these values of params; undefined if one of them cannot be written. */
function withValues(view: View, overrides: Overrides): string | undefined {
  const edits = valueEdits(view, overrides);
  return edits === undefined ? undefined : apply(view.syntax.text, edits);
}

/** What an edit of a value changes, in the words of the file. An argument that a call lacks is written with its name. */
const changeOf = (text: string, { name, start, end, text: to }: ValueEdit): Change => ({
  key: name,
  from: start === end ? 'not set' : text.slice(start, end),
  to: start === end ? to.replace(/^[\s,(]+|[\s),]+$/gu, '') : to,
});
