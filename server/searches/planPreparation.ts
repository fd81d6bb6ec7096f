/** From the request for a search over settings to the search: the text that it is about, its axes, and what is wrong with them. */
import { answerSource } from './answerSource.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import type { Change } from '../../engine/sweep/changes.ts';
import { axesProblemSteps } from '../../engine/sweep/axesProblem.ts';
import { sweepBaseSteps } from '../../engine/sweep/base.ts';
import { defaultSpace, emptyProblem } from '../../engine/sweep/space/space.ts';
import { rememberingHost } from '../../engine/basics/knownFiles.ts';
import { resolveSteps } from '../../engine/flow/resolve.ts';
import { type BlockDeclaration, parse } from '../../grammar/index.ts';
import type { FindPlanAnswer, FindPlanRequest, PlanHead } from '../../webview/protocol/requests.ts';
import { fileName } from '../text/fileName.ts';
import { rangeIn, type View } from '../view.ts';
import { type PlanSearch, planSearch } from './planSearch.ts';
import { searchKey } from './planTexts.ts';
import { changeOf, valueEdits } from './valueEdits.ts';

export interface PreparedPlan {
  readonly search: PlanSearch;
  readonly head: PlanHead;
  /** Values of sliders that the search has and the file has not. */
  readonly moved: readonly Change[];
  readonly uri: string;
  /** Key of the file when the search began. */
  readonly key: string;
}

/** What a search over the settings of a pipeline begins with, or why it cannot begin. */
export function* prepareSteps(
  view: View,
  asked: FindPlanRequest,
  searches: Parameters<typeof sweepBaseSteps>[3],
  program: string,
): Generator<unknown, PreparedPlan | Extract<FindPlanAnswer, { readonly problem: string }>, void> {
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
  const syntax = isFile ? view.syntax : parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
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
  const space = isDefault ? defaultSpace(base) : undefined;
  const axes = space?.axes ?? definition?.axes ?? [];
  const problem = (space && emptyProblem(pipeline, space)) ?? (yield* axesProblemSteps(base, axes));
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
  const about = {
    file: fileName(uri),
    source: answerSource(source, program),
    axes,
    ...(space === undefined ? {} : { leftOut: space.leftOut }),
    minimise,
    limits,
  };
  const search = planSearch(base, source, about);
  const key = searchKey(view.syntax, pipeline);
  const moved = edits.map((edit) => changeOf(view.syntax.text, edit));
  return { search, head, moved, uri, key };
}
