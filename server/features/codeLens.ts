import type { CodeLens } from 'vscode-languageserver';
import { placeOf } from '../../engine/check.ts';
import type { Evaluation } from '../../engine/evaluate.ts';
import type { PipelineReport } from '../../engine/analyze/report.ts';
import { paths } from '../../engine/plan/plan.ts';
import { bytes, share, time } from '../../engine/quantities.ts';
import { rangeIn, type View } from '../view.ts';

/** Above each pipeline its figures; a click opens the preview. */
export function codeLenses(view: View): CodeLens[] {
  return view.analysis.pipelines.flatMap((one) => {
    const place = placeOf(paths.pipeline(one.plan.name), view.analysis.resolution.origins);
    if (place === undefined || place.uri !== view.uri) return [];
    const command = { title: titleOf(one), command: 'pipewright.openPreview', arguments: [view.uri, one.plan.name] };
    return [{ range: rangeIn(view, place), command }];
  });
}

function titleOf(one: Evaluation): string {
  return one.run === undefined
    ? `no timeline: ${one.findings[0]?.message ?? 'the schedule never ends'}`
    : summary(one.run.report);
}

/** `iteration 132 ms · bubble 27.3 % · peak 5 GiB of 16 GiB`; the peak of the fullest device. */
export function summary(report: PipelineReport): string {
  const fullest = report.devices.reduce<PipelineReport['devices'][number] | undefined>(
    (worst, one) => (worst === undefined || one.peak * worst.capacity > worst.peak * one.capacity ? one : worst),
    undefined,
  );
  const parts = [`iteration ${time(report.iteration)}`, `bubble ${share(report.bubble.makespan)}`];
  if (fullest !== undefined) parts.push(`peak ${bytes(fullest.peak)} of ${bytes(fullest.capacity)}`);
  return parts.join(' · ');
}
