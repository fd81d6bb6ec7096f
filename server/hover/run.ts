/** A small timeline in the hover of a pipeline's name and of its schedule. */
import { gapOf } from '../../engine/analyze/expectations.ts';
import { bestWords, boundNote, boundOrders, withinWords } from '../../engine/analyze/boundWithin.ts';
import { smallTimeline } from '../../engine/drawing/smallTimeline.ts';
import type { Evaluation } from '../../engine/schedule/evaluation.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { paths, type PipelinePlan } from '../../engine/values/plan.ts';
import { excludesSome, shareAtMost, time } from '../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../engine/values/report.ts';
import { base64 } from '../../platform/common/base64.ts';
import { summary } from '../text/summary.ts';
import { holds } from '../text/convert.ts';
import type { View } from '../view.ts';
import { sections } from './markdown.ts';

/** Longer runs take too long between a request and its answer; the preview shows them. */
const mostOperations = 200_000;
const kept = new WeakMap<Evaluation, string>();

/** Markdown: the figures where the hover does not have them yet, and a picture of them for editors that show pictures. Empty for a pipeline that does not run. */
export function runText(view: View, symbol: SymbolInfo, offset: number, pictures: boolean): string {
  const picture = (found: Evaluation | undefined): string => (pictures ? pictureOf(found) : '');
  if (symbol.kind === 'pipeline') return picture(view.analysis.pipelines.find(({ plan }) => plan.name === symbol.name));
  if (symbol.kind !== 'policy' && symbol.kind !== 'schedule') return '';
  const found = scheduledAt(view, offset);
  if (found?.run === undefined || found.plan.schedule.name !== symbol.name) return '';
  return sections(summary(found.run.report), certificate(found.plan, found.run.report), picture(found));
}

/** Rounding of a sum of times. */
const rounding = 1e-9;

/** Policies that say it among their own figures. */
const saying: ReadonlySet<string> = new Set(['search', 'zb_auto']);

/** How far the order is from the shortest that there can be; empty if nothing is proven. */
function certificate({ schedule }: PipelinePlan, report: PipelineReport): string {
  const { asynchronous, bubble, iteration } = report;
  if (schedule.kind === 'policy' && saying.has(schedule.name)) return '';
  if (asynchronous !== undefined || !excludesSome(bubble.bound)) return '';
  const gap = gapOf(report);
  const memory = withinWords(report);
  const within = memory === undefined ? '' : ` within ${memory}`;
  return gap < rounding
    ? `End: ${time(iteration)}, and it is proven that no ${boundOrders(report)} of these operations${within} ends sooner${boundNote(report)}.`
    : `End: ${time(iteration)}, at most ${shareAtMost(gap)} above the least possible${within}${bestWords(report)} (${time(iteration / (1 + gap))}).`;
}

/** The pipeline whose block holds the offset. */
function scheduledAt(view: View, offset: number): Evaluation | undefined {
  const block = view.syntax.declarations.find(
    (declaration) => declaration.kind === 'block' && holds(declaration, offset),
  );
  if (block === undefined) return undefined;
  return view.analysis.pipelines.find(({ plan }) => {
    const place = view.analysis.resolution.origins.get(paths.pipeline(plan.name));
    return place?.uri === view.uri && holds(block, place.start);
  });
}

/** Only what the engine draws: it holds no text of a file. */
function pictureOf(found: Evaluation | undefined): string {
  if (found?.run === undefined || found.run.program.order.length > mostOperations) return '';
  let picture = kept.get(found);
  if (picture === undefined) {
    const svg = smallTimeline(found.plan, found.run);
    picture = `![Timeline](data:image/svg+xml;base64,${base64(svg)})`;
    kept.set(found, picture);
  }
  return picture;
}
