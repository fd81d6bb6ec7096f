/** Hovers over the expressions of rows and clock tables: the operations that they write. */
import type { RowTracer } from '../../engine/definitions/rowTracer.ts';
import { unpack } from '../../engine/basics/packed.ts';
import { type PipelinePlan, type RowPlan } from '../../engine/values/plan.ts';
import { letters } from '../../engine/values/program.ts';
import { count } from '../../engine/basics/quantities.ts';
import { stageNumber } from '../../engine/costs/stages.ts';
import type { Span, SyntaxNode } from '../../grammar/index.ts';
import { numbersText, operationsOf, writingTexts } from '../text/writers.ts';
import { inlineCode } from '../text/userText.ts';
import type { View } from '../view.ts';
import { sections } from './markdown.ts';

/** Devices that are described; of larger pipelines the others are not looked at. */
const mostDevices = 4;
const mostOperations = 200_000;

/**
 * What the innermost text around a position writes in the first pipeline that uses it; undefined where that is nothing. `only`: it
 * must be this text.
 */
export function writtenText(view: View, path: readonly SyntaxNode[], only?: Span): string | undefined {
  if (!path.some((node) => node.kind === 'block' && node.keyword.text === 'schedule')) return undefined;
  const { plan, tracers } = view.analysis.resolution;
  for (const pipeline of plan.pipelines) {
    const { schedule, name } = pipeline;
    const tracer = tracers.get(name);
    if (schedule.kind !== 'rows' || tracer?.uri !== view.uri) continue;
    const texts = writingTexts(tracer, path);
    const fits = only === undefined || (texts[0]?.start === only.start && texts[0].end === only.end);
    if (texts.length > 0 && fits) return inPipeline(pipeline, schedule.rows, tracer, texts);
  }
  return undefined;
}

function inPipeline(plan: PipelinePlan, rows: readonly RowPlan[], tracer: RowTracer, texts: readonly Span[]): string {
  const asked = operationsOf(rows) > mostOperations ? rows.slice(0, mostDevices) : rows;
  const written = asked.map((_, device) => positionsOf(tracer.written(device, texts)));
  const writing = written.flatMap((positions, device) => (positions.length > 0 ? [device] : []));
  const shown = writing.slice(0, mostDevices);
  const total = written.reduce((sum, positions) => sum + positions.length, 0);
  const where = asked.length < rows.length ? `the first ${mostDevices} devices of` : 'pipeline';
  const lines = shown.map((device) => {
    const positions = written[device];
    const names = namesAt(plan, rows[device], positions);
    const numbers = numbersText(tracer.origin(device, positions[0])?.numbers ?? []);
    const first = numbers === '' ? '' : `; ${inlineCode(numbers)}${positions.length > 1 ? ' for the first' : ''}`;
    return `- ${inlineCode(plan.devices[device].name)}: ${count(positions.length, 'operation', 'operations')}, ${ends(names)}${first}`;
  });
  if (writing.length > shown.length)
    lines.push(`- and ${count(writing.length - shown.length, 'more device', 'more devices')}`);
  return sections(
    `Writes ${count(total, 'operation', 'operations')} in ${where} ${inlineCode(plan.name)}.`,
    lines.join('\n'),
  );
}

const positionsOf = (marks: Uint8Array): readonly number[] => {
  const found: number[] = [];
  for (const [position, mark] of marks.entries()) if (mark === 1) found.push(position);
  return found;
};

function namesAt(plan: PipelinePlan, row: RowPlan, positions: readonly number[]): readonly string[] {
  const [kinds, stages, microbatches] = [row.kinds, row.stages, row.microbatches].map(unpack);
  return positions.map((at) => `${stageNumber(plan, stages[at])}${letters[kinds[at]]}${microbatches[at]}`);
}

/** Names of few operations; of many, the first ones and the last. */
const ends = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(' ') : `${names.slice(0, 3).join(' ')} … ${names[names.length - 1]}`;
