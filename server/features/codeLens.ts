import type { Evaluation } from '../../engine/schedule/evaluation.ts';
import type { CodeLens } from 'vscode-languageserver';
import { gapOf } from '../../engine/analyze/expectations.ts';
import { placeOf } from '../../engine/flow/check.ts';
import { askedOrder } from '../../engine/advice/shorterOrder.ts';
import { jobSummary } from '../../engine/job/describe.ts';
import { paths } from '../../engine/values/plan.ts';
import { type TestedSchedule, shapesWith } from '../../engine/grid/testFindings.ts';
import { count } from '../../engine/basics/quantities.ts';
import { rowCount } from '../../engine/sweep/axes.ts';
import { printable } from '../text/printable.ts';
import { summary } from '../text/summary.ts';
import { type ClientAbilities, rangeIn, type View } from '../view.ts';

/**
 * Figures above each pipeline and each job. A click opens the preview; for a job, the preview of its first worker. Clients with previews
 * also get Preview, Compare and Export, and the result of each test of a schedule.
 */
export function codeLenses(view: View, { previews }: Pick<ClientAbilities, 'previews'>): CodeLens[] {
  const { pipelines, jobs, tests, pending, untested } = view.analysis;
  const unknown = new Set(pending.slice(0, pending.length - untested.length));
  return [
    ...(previews ? tests.flatMap((tested) => testLens(view, tested)) : []),
    ...(previews ? searchLenses(view) : []),
    // One whose figures are still to come has none: a refresh follows.
    ...pipelines.flatMap((pipeline) =>
      unknown.has(pipeline.plan.name)
        ? []
        : lens(view, paths.pipeline(pipeline.plan.name), titleOf(pipeline), pipeline.plan.name).flatMap((figures) =>
            previews ? [figures, ...actions(view, figures, pipeline)] : [figures],
          ),
    ),
    ...jobs.flatMap(({ plan, report }) =>
      report === undefined ? [] : lens(view, paths.job(plan.name), jobSummary(report), plan.workers[0]),
    ),
  ];
}

/** `54 of 66 shapes pass`: opens the preview with the schedule. */
function testLens(view: View, { test, place, answer }: TestedSchedule): CodeLens[] {
  if (place.uri !== view.uri || answer.verdicts.length === 0) return [];
  const passed = shapesWith(answer, 'passed').length;
  const refused = shapesWith(answer, 'refused').length;
  const title = `${passed} of ${count(answer.verdicts.length - refused, 'shape passes', 'shapes pass')}`;
  const command = { title, command: 'pipewright.openPreview', arguments: [view.uri, test.name] };
  return [{ range: rangeIn(view, place), command }];
}

/** `Find the fastest plan · 240 rows`: begins the search in the preview. A search with an error has none. */
function searchLenses(view: View): CodeLens[] {
  const searches = new Map(view.analysis.resolution.searches.map((search) => [search.pipeline, search]));
  return view.syntax.declarations.flatMap((declaration): CodeLens[] => {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'search') return [];
    const pipeline = declaration.name?.text ?? '';
    const search = searches.get(pipeline);
    // Of several searches of a pipeline the first one is used.
    if (search === undefined || !searches.delete(pipeline)) return [];
    const rows = search.axes.length === 0 ? '' : ` · ${count(rowCount(search.axes), 'row', 'rows')}`;
    const title = `Find the fastest plan${rows}`;
    const command = { title, command: 'pipewright.findPlan', arguments: [view.uri, pipeline] };
    return [{ range: rangeIn(view, declaration.name ?? declaration.keyword), command }];
  });
}

function lens(view: View, path: string, title: string, pipeline: string): CodeLens[] {
  const place = placeOf(path, view.analysis.resolution.places);
  if (place === undefined || place.uri !== view.uri) return [];
  return [
    {
      range: rangeIn(view, place),
      command: { title: lensTitle(title), command: 'pipewright.openPreview', arguments: [view.uri, pipeline] },
    },
  ];
}

/** Commands of the extension; each takes the file and the pipeline. Only a pipeline with a timeline can be exported. */
const actions = ({ uri }: View, { range }: CodeLens, pipeline: Evaluation): CodeLens[] =>
  [
    { title: 'Preview', command: 'pipewright.openPreview' },
    { title: 'Compare', command: 'pipewright.compare' },
    ...(pipeline.run === undefined ? [] : [{ title: 'Export', command: 'pipewright.exportTimeline' }]),
    ...(maySearch(pipeline) ? [{ title: 'Shorter order', command: 'pipewright.findOrder' }] : []),
  ].map((command) => ({ range, command: { ...command, arguments: [uri, pipeline.plan.name] } }));

/** Rounding of a sum of times. */
const rounding = 1e-9;

/** Whether an order may be shorter, and can be searched. */
const maySearch = (pipeline: Evaluation): boolean =>
  pipeline.run !== undefined && gapOf(pipeline.run.report) > rounding && !('reason' in askedOrder(pipeline, 1));

/** On one line. Editors read `$(name)` as an icon, which a quoted text of the file must not become. */
const lensTitle = (title: string): string => printable(title).replaceAll('$(', '$ (');

function titleOf({ run, findings }: Evaluation): string {
  return run === undefined ? `no timeline: ${findings[0]?.message ?? 'the schedule never ends'}` : summary(run.report);
}
