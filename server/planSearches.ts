/** Searches over the settings of pipelines of open documents: one runs at a time, and the last one of each document is kept. */
import type { CancellationToken } from 'vscode-languageserver';
import { pipelineBody } from '../engine/fixes/source.ts';
import { rowCount, settingsOf } from '../engine/sweep/axes.ts';
import { axesProblemSteps } from '../engine/sweep/axesProblem.ts';
import { type SweepBase, sweepBaseSteps } from '../engine/sweep/base.ts';
import { defaultAxes } from '../engine/sweep/defaultAxes.ts';
import { placeRow } from '../engine/sweep/placeRow.ts';
import { rememberingHost } from '../engine/knownFiles.ts';
import { rowFile } from '../engine/sweep/rowText.ts';
import type { BlockDeclaration } from '../grammar/index.ts';
import type {
  FindPlanAnswer,
  FindPlanRequest,
  PlanFileAnswer,
  PlanFileRequest,
  PlanFound,
  PlanHead,
  PlanRowAnswer,
  PlanRowRequest,
} from '../webview/protocol/requests.ts';
import type { Documents } from './documents.ts';
import { fileName } from './fileName.ts';
import { minimalEdit } from './minimalEdit.ts';
import { planCsv, planJson } from './planData.ts';
import { type PlanSearch, planSearch, type PlanSearchHost } from './planSearch.ts';
import { rangeIn, type View } from './view.ts';

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
  outdated(search: number): void;
}

interface Known {
  readonly search: PlanSearch;
  readonly head: PlanHead;
  readonly uri: string;
  readonly surroundings: number | undefined;
  /** Number that the client gave it last. */
  number: number;
  isOutdated: boolean;
  /** Settled when it does not run. */
  ran: Promise<unknown>;
}
type Prepared = Pick<Known, 'search' | 'head' | 'uri' | 'surroundings'>;

const changedText = 'The file has changed since this search. Search again.';

export function createPlanSearches({ documents, threads, found, outdated }: PlanSearchesHost): PlanSearches {
  const known = new Map<string, Known>();
  /** The search that was asked for last: one that is still being prepared does not begin after it. */
  let newest = -1;

  const isCurrent = ({ uri, head, surroundings }: Known): boolean =>
    documents.syntax(uri)?.version === head.version && documents.surroundings(uri) === surroundings;

  async function find(view: View, asked: FindPlanRequest, token: CancellationToken): Promise<FindPlanAnswer> {
    newest = asked.search;
    for (const { search } of known.values()) search.stop();
    const before = known.get(view.uri);
    if (asked.more === true && before !== undefined && isCurrent(before)) {
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
    const next = { ...made, number: asked.search, isOutdated: false, ran: Promise.resolve() };
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
    if (answer === undefined || one.isOutdated) return { outdated: true };
    const { points: _, ...figures } = answer;
    return { figures };
  }

  function* prepared(
    view: View,
    asked: FindPlanRequest,
    searches: Parameters<typeof sweepBaseSteps>[3],
  ): Generator<unknown, Prepared | Extract<FindPlanAnswer, { readonly problem: string }>, void> {
    const { uri, version, syntax, files, options, analysis } = view;
    const { resolution } = analysis;
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
      const range = rangeIn(view, error?.place ?? block.keyword);
      return { problem: error?.message ?? 'This search cannot be read.', range };
    }
    const { limits = [], minimise = 'iteration' } = definition ?? {};
    const host = rememberingHost(files);
    const file = { uri, text: syntax.text, host, options };
    const base = yield* sweepBaseSteps(file, pipeline, limits, searches);
    if ('problem' in base) return { problem: `"${pipeline}" cannot be searched. ${base.problem.message}` };
    const isDefault = definition === undefined || definition.axes.length === 0;
    const axes = isDefault ? defaultAxes(base) : definition.axes;
    const problem = yield* axesProblemSteps(base, axes);
    if (problem !== undefined)
      return { problem, ...(block === undefined ? {} : { range: rangeIn(view, block.name ?? block.keyword) }) };
    const head: PlanHead = {
      pipeline,
      version,
      axes,
      isDefault,
      minimise,
      limits,
      devices: base.devices,
      batch: base.batch,
      ...(base.capacity === undefined ? {} : { capacity: base.capacity }),
      ...(base.peakLimit === undefined ? {} : { peakLimit: base.peakLimit }),
    };
    const { files: texts, paths } = host;
    const source = { uri, text: syntax.text, options, pipeline, limits, axes, files: texts, paths };
    const search = planSearch(base, source, { file: fileName(uri), axes, minimise, limits });
    return { search, head, uri, surroundings: documents.surroundings(uri) };
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
      if (one === undefined || !isCurrent(one)) return { problem: changedText };
      const { base, asked } = one.search;
      if (!Number.isSafeInteger(row) || row < 0 || row >= rowCount(asked.axes))
        return { problem: `The search has no row ${row}.` };
      return edited(view, base, asked.axes, row);
    },
    file({ uri, search: number, format }) {
      const answer = of(uri, number)?.search.answer();
      if (answer === undefined) return { problem: 'This search has not ended.' };
      return { text: format === 'csv' ? planCsv(answer) : planJson(answer) };
    },
    changed(uri) {
      const one = known.get(uri);
      if (one === undefined || one.isOutdated || isCurrent(one)) return;
      one.isOutdated = true;
      one.search.drop();
      // Nothing can be asked of it any more.
      known.delete(uri);
      outdated(one.number);
    },
    close() {
      for (const { search } of known.values()) search.drop();
    },
  };
}

/** The edit that writes a row into the file, whose comments and layout stay. */
function edited(
  view: View,
  base: SweepBase,
  axes: Parameters<typeof placeRow>[1],
  row: number,
): NonNullable<PlanRowAnswer> {
  const { syntax, version } = view;
  const placed = placeRow(base, axes, settingsOf(axes, row));
  const body = pipelineBody(syntax, base.pipeline);
  const written =
    'refused' in placed || body === undefined
      ? { refused: 'refused' in placed ? placed.refused : 'the pipeline is not in the file' }
      : rowFile({ ...base, syntax, body }, placed);
  if ('refused' in written) return { problem: `Row ${row} cannot be written: ${written.refused}.` };
  const edit = minimalEdit(syntax.text, written.text);
  return { version, edits: [{ range: rangeIn(view, edit), newText: edit.text }] };
}
