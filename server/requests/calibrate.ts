/** Edits that write the times of a run into a file, and how good the file then is. */
import { evaluation } from '../../engine/flow/evaluate.ts';
import { calibrationSaid, mostDrift } from '../../engine/measured/calibratedPlan.ts';
import { calibrationSearch } from '../../engine/measured/calibrationSearch.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { CalibrateAnswer, CalibrateRequest, TextEdit } from '../../webview/protocol/requests.ts';
import { fileName } from '../text/fileName.ts';
import { lineEdits } from '../text/lineEdits.ts';
import { toRange } from '../text/convert.ts';
import type { View } from '../view.ts';
import { triedResolution } from './plan.ts';

/** Undefined while it is being found. */
export function calibrateFile(
  view: View,
  { pipeline, run, replica, slowLayers = false }: CalibrateRequest,
  searches: Searches,
): CalibrateAnswer | undefined {
  const { uri, version, options, lines, syntax } = view;
  const refuse = (problem: string): CalibrateAnswer => ({ problem: `${fileName(uri)}: ${problem}` });
  const { pipelines } = view.analysis.resolution.plan;
  const names = pipelines.map(({ name }) => name);
  if (pipeline === undefined && names.length > 1)
    return { ...refuse('Choose the pipeline that ran.'), pipelines: names };
  const plan = pipelines.find(({ name }) => pipeline === undefined || name === pipeline);
  if (plan === undefined) return refuse('It has no pipeline that runs.');
  const evaluated = searches.answer(evaluation, { plan, options });
  if (evaluated === undefined) return undefined;
  if (evaluated.run === undefined) return refuse(`Pipeline "${plan.name}" does not run.`);
  const { text } = syntax;
  const problem = { text, plan, program: evaluated.run.program, run, slowLayers };
  const made = searches.answer(calibrationSearch, { ...problem, ...(replica === undefined ? {} : { replica }) });
  if (made === undefined) return undefined;
  if ('problem' in made) return { ...refuse(made.problem), ...slowness(made.problem) };
  const edits = lineEdits(text, made.text).map(({ start, end, text: newText }): TextEdit => ({
    range: toRange(lines, { start, end }),
    newText,
  }));
  const changed = triedResolution(view, { trial: { version, edits } }, searches);
  const young = changed.plan.pipelines.find(({ name }) => name === plan.name);
  if (young === undefined && changed.pending.length > 0) return undefined;
  const again = young === undefined ? undefined : searches.answer(evaluation, { plan: young, options });
  if (young !== undefined && again === undefined) return undefined;
  const ran = young === undefined || again?.run === undefined ? undefined : { plan: young, program: again.run.program };
  const said = calibrationSaid(made, plan, ran);
  if ('problem' in said) return refuse(said.problem);
  return {
    version,
    edits,
    lines: said.lines,
    accurate: Math.abs(said.drift) <= mostDrift,
    slow: made.found.slow.length > 0,
  };
}

/** A rank that is slow in all that it does may have slow layers: the reader says so. */
const slowness = (problem: string): { readonly slow?: true } =>
  problem.includes('--slow-layers') ? { slow: true } : {};
