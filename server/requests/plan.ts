import type { Plan } from '../../engine/values/plan.ts';
import { planKey as pipelineKey } from '../../engine/schedule/evaluation.ts';
import { checkOverrides } from '../../engine/language/overrides.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { base64 } from '../../platform/common/base64.ts';
import { sha256 } from '../../platform/common/sha256.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import { parse, type SyntaxFile } from '../../grammar/index.ts';
import { toSpan } from '../text/convert.ts';
import type {
  FileContents,
  Overrides,
  PlanAnswer,
  PlannedAnswer,
  PlanRequest,
  TextEdit,
} from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';
import { declaredIn } from './contents.ts';
import { foundOrders } from './foundOrders.ts';
import { shownSchedules } from './shownSchedules.ts';

/**
 * The plan of the newest text. With overrides, or edits to try, the text is resolved again; what is known of the document stays as it
 * is.
 */
export const planAnswer = (view: View, request: PlanRequest, searches: Searches): PlanAnswer => ({
  ...answerOf(view, request, searches),
  key: shortKey(view),
});

function answerOf(view: View, request: PlanRequest, searches: Searches): PlanAnswer {
  const { uri, version, options } = view;
  const { trial } = request;
  const resolution = view.analysis.resolution;
  const overrides = applicable(resolution, request.overrides ?? {});
  if (Object.keys(overrides).length === 0 && trial === undefined) {
    const found = answer(view, resolution, request.overrides);
    const declared = declaredAlone(view, found);
    if (declared !== undefined) return { ...found, contents: { declared } };
    const orders = foundOrders(view);
    return Object.keys(orders).length === 0 ? found : { ...found, orders };
  }
  const [refused] =
    trial !== undefined && trial.version !== version
      ? ['The file has changed since this fix was found.']
      : checkOverrides(resolution, overrides);
  if (refused !== undefined)
    return { uri, version, options, problem: { message: refused, range: rangeIn(view, { start: 0, end: 0 }) } };
  const found = triedResolution(view, { overrides, trial }, searches);
  return turnedOut(view, found, overrides) ?? answer(view, found, request.overrides);
}

/** Of a view, only what was asked for last: whoever asks again means the same. */
const tried = new WeakMap<View, { readonly key: string; readonly resolution: Resolution }>();

/** The text with these params and edits, resolved. */
export function triedResolution(
  view: View,
  { overrides: asked = {}, trial }: Pick<PlanRequest, 'overrides' | 'trial'>,
  searches: Searches,
): Resolution {
  const overrides = applicable(view.analysis.resolution, asked);
  if (Object.keys(overrides).length === 0 && trial === undefined) return view.analysis.resolution;
  const key = JSON.stringify([overrides, trial]);
  const known = tried.get(view);
  if (known?.key === key) return known.resolution;
  const { uri, files, options } = view;
  const syntax = trial === undefined ? view.syntax : triedSyntax(view, trial.edits);
  const resolution = resolve({ uri, syntax, host: files, options, overrides, searches });
  // What is to come may not be there yet.
  if (resolution.pending.length === 0) tried.set(view, { key, resolution });
  return resolution;
}

/** Without arguments of schedules that the text no longer has, and without numbers of schedules that are shown by themselves. */
export function applicable({ plan }: Resolution, overrides: Overrides): Overrides {
  const kept = Object.entries(overrides).filter(
    ([name]) => !name.includes('.') || plan.params.some((param) => param.name === name),
  );
  return Object.fromEntries(kept);
}

const hasPipeline = ({ syntax }: View): boolean =>
  syntax.declarations.some((declaration) => declaration.kind === 'block' && declaration.keyword.text === 'pipeline');

/** What is wrong where a pipeline cannot be planned with the arguments that are tried. Others of the file may well be. */
function turnedOut(view: View, { plan, findings, pending }: Resolution, overrides: Overrides): PlanAnswer | undefined {
  const { uri, version, options } = view;
  const lost = Object.keys(overrides).some((name) => {
    const [pipeline, parameter] = name.split('.');
    return (
      parameter !== undefined &&
      !pending.includes(pipeline) &&
      !plan.pipelines.some((candidate) => candidate.name === pipeline)
    );
  });
  if (!lost) return undefined;
  const before = new Set(view.analysis.resolution.findings.map(({ message, place }) => `${place.start} ${message}`));
  const errors = findings.filter((found) => found.severity === 'error');
  const error = errors.find(({ message, place }) => !before.has(`${place.start} ${message}`)) ?? errors[0];
  if (error === undefined) return undefined;
  const range = rangeIn(view, error.place.uri === uri ? error.place : { start: 0, end: 0 });
  return { uri, version, options, problem: { message: error.message, range } };
}

function triedSyntax({ syntax, lines, options }: View, edits: readonly TextEdit[]): SyntaxFile {
  const spans = edits.map(({ range, newText }) => ({ ...toSpan(lines, range), text: newText }));
  return parse(apply(syntax.text, spans), { size: options.limits.fileSize, faults: options.limits.findings });
}

function answer(view: View, resolution: Resolution, overrides: Overrides = {}): PlanAnswer {
  const { uri, version, options } = view;
  const { plan } = resolution;
  const { plans, params, shown } = shownSchedules(view, resolution, overrides);
  const isLibrary = shown.length > 0 && !hasPipeline(view);
  const error =
    plan.pipelines.length > 0 || isLibrary
      ? undefined
      : resolution.findings.find((found) => found.severity === 'error' && found.place.uri === uri);
  // A file without an error and without a pipeline is one that begins.
  if (error === undefined && shown.length === 0) return { uri, version, options, plan };
  if (error === undefined) {
    const both = { ...plan, params: [...plan.params, ...params], pipelines: [...plan.pipelines, ...plans] };
    return { uri, version, options, plan: both, schedules: shown };
  }
  return { uri, version, options, problem: { message: error.message, range: rangeIn(view, error.place) } };
}

/** Whether a text has neither a pipeline nor a schedule to show. */
const showsNothing = ({ plan, schedules }: PlanAnswer): boolean =>
  plan?.pipelines.length === 0 && schedules === undefined;

/** What such a text declares; undefined for others, and if it declares nothing. */
const declaredAlone = (view: View, found: PlanAnswer): FileContents['declared'] | undefined =>
  showsNothing(found) ? declaredIn(view) : undefined;

/** Whether a text declares things and shows none of them, so that a pipeline may be added to it. */
export const mayStart = (view: View): boolean =>
  declaredAlone(view, answer(view, view.analysis.resolution)) !== undefined;

const keys = new WeakMap<View, string>();

/** `planKey` as a short text, made once for each view. */
function shortKey(view: View): string {
  let key = keys.get(view);
  if (key === undefined) keys.set(view, (key = base64(sha256(planKey(view)))));
  return key;
}

export const plannedAnswer = (view: View): PlannedAnswer => ({ version: view.version, key: shortKey(view) });

/** Equal for two versions of a document whose plans, or reasons for having none, and settings are equal. */
export function planKey(view: View): string {
  const found = answer(view, view.analysis.resolution);
  const { plan, problem, schedules } = found;
  if (plan === undefined) return JSON.stringify([problem?.message, view.options]);
  const { pipelines, ...rest } = plan satisfies Plan;
  // A page shows what a file without a pipeline has.
  if (showsNothing(found)) return JSON.stringify([rest, view.options, declaredIn(view)]);
  return [JSON.stringify([rest, view.options, schedules]), ...pipelines.map(pipelineKey)].join(' ');
}
