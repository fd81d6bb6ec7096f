/** A pipeline of the newest text as a file for others: a figure, a trace. */
import { evaluation } from '../../engine/flow/evaluate.ts';
import { launchOf } from '../../engine/formats/launch.ts';
import { type ProgramFormat, programFormats } from '../../engine/formats/programs.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { figureSearch, mostTraced } from '../../engine/drawing/figureSearch.ts';
import { playingSeconds } from '../../engine/drawing/playing.ts';
import { type PaperWidth, paperWidths } from '../../engine/drawing/sheet.ts';
import { unitTimesText } from '../../engine/analyze/unitWords.ts';
import { list } from '../../engine/basics/quantities.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { Drawing, ExportAnswer, ExportRequest } from '../../webview/protocol/requests.ts';
import { readState } from '../../webview/protocol/state.ts';
import { fileName } from '../text/fileName.ts';
import { base64 } from '../../platform/common/base64.ts';
import { missingWords, type Platform, type Scale, scales } from '../../platform/common/platform.ts';
import { type StandalonePage, standalonePage } from '../standalone.ts';
import type { View } from '../view.ts';
import { figuresMarkdown } from '../text/figuresMarkdown.ts';
import { planAnswer, triedResolution } from './plan.ts';

const formats: readonly string[] = [
  ...['svg', 'png', 'film', 'html', 'trace', 'markdown'],
  ...programFormats.map(({ name }) => name),
];
const widths = Object.keys(paperWidths) as readonly PaperWidth[];

/** What a file is made of: its text, or a page without its script. */
type Exported =
  | Exclude<ExportAnswer, { readonly base64: string } | { readonly drawing: Drawing }>
  | { readonly pipeline: string; readonly page: StandalonePage };

/** What is written, before a picture or a page is made of it; undefined while it is being found. */
export function exported(
  view: View,
  {
    uri,
    overrides,
    pipeline,
    format,
    width = '7in',
    memory = false,
    seconds = playingSeconds.usual,
    state,
  }: ExportRequest,
  searches: Searches,
  version: string,
): Exported | undefined {
  if (!formats.includes(format)) return { problem: `The format is one of ${list(formats)}.` };
  if (!widths.includes(width)) return { problem: `The width is one of ${list(widths)}.` };
  const { least, most } = playingSeconds;
  if (typeof seconds !== 'number' || !(seconds >= least && seconds <= most))
    return { problem: `A film takes ${least} to ${most} seconds.` };
  const { plan, problem } = planAnswer(view, { uri, overrides }, searches);
  if (plan === undefined || plan.pipelines.length === 0)
    return { problem: problem?.message ?? 'This file has no pipeline to export.' };
  const names = plan.pipelines.map(({ name }) => name);
  if (pipeline === undefined && names.length > 1) return { problem: `Choose one of ${list(names)}.`, pipelines: names };
  const found = plan.pipelines.find(({ name }) => pipeline === undefined || name === pipeline);
  if (found === undefined) return { problem: `This file has no pipeline "${pipeline}" that can be simulated.` };
  const program = programFormats.find(({ name }) => name === format);
  if (program !== undefined) return programOf(view, found, program, overrides, searches);
  if (format === 'html') {
    const title = fileName(uri);
    const message = { type: 'plan' as const, uri, title, version: 1, plan, overrides: {}, options: view.options };
    const page = { message: { ...message, pipeline: found.name }, state: readState(state) };
    return { page, pipeline: found.name };
  }
  const figure = searches.answer(figureSearch, {
    plan: found,
    options: view.options,
    format: format === 'trace' ? 'trace' : format === 'markdown' ? 'figures' : 'svg',
    width,
    memory,
    playing: format === 'film' ? { seconds } : undefined,
    file: fileName(uri),
    version,
  });
  if (figure === undefined || 'problem' in figure) return figure;
  const { name } = found;
  if ('text' in figure) return { ...figure, pipeline: name };
  const notes = found.unitTimes === true ? [unitTimesText] : [];
  return { text: figuresMarkdown(fileName(uri), [{ name, rows: figure.rows }], notes), pipeline: name };
}

/** Undefined while the order is being found. */
function programOf(
  view: View,
  plan: PipelinePlan,
  format: ProgramFormat,
  overrides: ExportRequest['overrides'],
  searches: Searches,
): ReturnType<typeof exported> {
  const { options } = view;
  const evaluated = searches.answer(evaluation, { plan, options });
  if (evaluated === undefined) return undefined;
  const { run, findings } = evaluated;
  if (run === undefined) {
    const reason = findings.find(({ severity }) => severity === 'error')?.message;
    return { problem: reason ?? `Pipeline ${plan.name} cannot be simulated.` };
  }
  const { length } = run.program.order;
  if (length > mostTraced)
    return {
      problem: `${length.toLocaleString('en-US')} operations are too many for the editor: run pipewright export --to ${format.name} in a terminal.`,
    };
  const launch = launchOf(triedResolution(view, { overrides }, searches), plan);
  const made = format.write(plan, run.program, { launch, comms: false });
  if ('problem' in made) return { problem: `Pipeline ${plan.name} cannot be written: ${made.problem}.` };
  return { pipeline: plan.name, text: [...made.parts].join(''), notes: made.notes };
}

/** The answer to the client. */
export async function exportAnswer(
  found: Exported | undefined,
  { format, scale = 3 }: Pick<ExportRequest, 'format' | 'scale'>,
  { rasterise, pageSources }: Pick<Platform, 'rasterise' | 'pageSources'>,
): Promise<ExportAnswer | null> {
  if (found === undefined) return null;
  if ('problem' in found) return found;
  const { pipeline } = found;
  if ('page' in found) return { ...standalonePage(found.page, await pageSources()), pipeline };
  if (format !== 'png') return found;
  const known: readonly number[] = scales;
  if (!known.includes(scale)) return { problem: `The scale is one of ${list(scales.map(String))}.` };
  if (rasterise === undefined) return { pipeline, drawing: { svg: found.text, scale } };
  const picture = await rasterise({ svg: found.text, scale: scale as Scale });
  const missing = missingWords(picture);
  return { pipeline, base64: base64(picture.bytes), ...(missing === undefined ? {} : { notes: [missing] }) };
}
