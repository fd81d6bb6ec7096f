/** Parameters of a schedule, as its users see them. */
import { type ScheduleParameter, unknownNumbers } from '../definitions/schedule.ts';
import { canonicalText } from '../language/canonical.ts';
import { detail } from '../language/context.ts';
import { unitOf } from '../language/constants.ts';
import { show } from '../basics/quantities.ts';
import { createReporter } from '../findings/reporter.ts';
import { type CompiledSchedule, frameOf } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

export function scheduleParameters(context: ReadContext, compiled: CompiledSchedule): readonly ScheduleParameter[] {
  // Defaults that are wrong whatever the pipeline are reported where they are written.
  const frame = frameOf(compiled, unknownNumbers, new Map(), context.report);
  return compiled.parameters.map(({ name, symbol, doc, dimension, entry, value, bounds }): ScheduleParameter => {
    const [written] = entry.values ?? [];
    const text = written === undefined ? '' : canonicalText(context.syntax, written);
    const ends = bounds?.(frameOf(compiled, unknownNumbers, new Map(), createReporter(context.uri, 0)));
    const known = ends !== undefined && !Number.isNaN(ends.min) && !Number.isNaN(ends.max);
    const now = value(frame);
    const shown = Number.isNaN(now) ? text : show(now, dimension);
    const range =
      entry.range === undefined ? '' : ` (${rangeText(context, entry.range, known ? ends : undefined, dimension)})`;
    detail(context, symbol, `${shown}${range}`);
    return {
      name,
      ...(doc === undefined ? {} : { doc }),
      dimension,
      default: text,
      unit: unitOf(written, dimension),
      ...(known ? ends : {}),
    };
  });
}

function rangeText(
  { syntax }: ReadContext,
  range: Parameters<typeof canonicalText>[1],
  ends: { readonly min: number; readonly max: number } | undefined,
  dimension: ScheduleParameter['dimension'],
): string {
  if (ends === undefined) return canonicalText(syntax, range);
  return `${show(ends.min, dimension)} to ${show(ends.max, dimension)}`;
}
