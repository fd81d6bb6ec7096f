import type { OperationOrigin } from '../../engine/definitions/rowTracer.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import { unpack } from '../../engine/basics/packed.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import type { OriginAnswer, OriginLine, OriginRequest } from '../../webview/protocol/requests.ts';
import { printable } from '../text/printable.ts';
import { numbersText } from '../text/writers.ts';
import type { View } from '../view.ts';
import { triedResolution } from './plan.ts';
import { withShown } from './shownSchedules.ts';

/** What wrote an operation, for a card of the preview. */
export function originAnswer(view: View, { path, ...tried }: OriginRequest, searches: Searches): OriginAnswer {
  if (tried.trial !== undefined && tried.trial.version !== view.version) return null;
  const found = originOf(withShown(view, triedResolution(view, tried, searches), tried.overrides), path);
  return found === undefined ? null : { lines: linesOf(found) };
}

/** The text that wrote the operation of a path; undefined for other paths, and where a row no longer has it. */
export function originOf(
  { plan, tracers }: Pick<Resolution, 'plan' | 'tracers'>,
  path: string,
): OperationOrigin | undefined {
  const parts =
    /^(?<name>.*)\/row:(?<device>\d+)\/item:\d+\/operation:(?<kind>\d+)\.(?<stage>\d+)\.(?<microbatch>\d+)$/u;
  const { name, device, kind, stage, microbatch } = parts.exec(path)?.groups ?? {};
  const schedule = plan.pipelines.find((pipeline) => pipeline.name === name)?.schedule;
  const row = schedule?.kind === 'rows' ? schedule.rows[Number(device)] : undefined;
  const tracer = name === undefined ? undefined : tracers.get(name);
  if (row === undefined || tracer === undefined) return undefined;
  const [wantedKind, wantedStage, wantedMicrobatch] = [Number(kind), Number(stage), Number(microbatch)];
  const [stages, microbatches] = [row.stages, row.microbatches].map(unpack);
  const position = unpack(row.kinds).findIndex(
    (found, at) => found === wantedKind && stages[at] === wantedStage && microbatches[at] === wantedMicrobatch,
  );
  return tracer.origin(Number(device), position);
}

function linesOf({ text, item, path: [row, ...lets], numbers }: OperationOrigin): readonly OriginLine[] {
  const lines: OriginLine[] = [['Written by', text]];
  if (row !== undefined) lines.push(['In', [row, ...(item === '' ? [] : [item]), ...lets].join(' › ')]);
  if (numbers.length > 0) lines.push(['With', numbersText(numbers)]);
  return lines.map(([label, value]) => [label, printable(value)]);
}
