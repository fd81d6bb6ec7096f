/** Tracers of the rows of a schedule: rows are written again by a second compilation, clock tables are looked up. */
import type { PlacedNumbers } from '../definitions/scheduleEvaluator.ts';
import type { NamedNumber, OperationOrigin, RowTracer } from '../definitions/rowTracer.ts';
import type { Entry, Span } from '../../grammar/syntax.ts';
import { nothing, unpack } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import type { Frame } from '../sequences/frame.ts';
import { type CompiledSchedule, compileSchedule, frameOf } from '../sequences/schedule.ts';
import { type Bound, createTrace, type Trace } from '../sequences/trace.ts';
import type { ReadContext } from './context.ts';
import { enterRow, type Row, type Rows, rowsOn, writeItem } from './rows.ts';
import type { ScheduleReading } from './scheduleReading.ts';
import { slotRows } from './slotRows.ts';
import type { SlotTable } from './slots.ts';

/** A schedule that is compiled again to find the source of its operations. */
export interface Traced {
  readonly context: ReadContext;
  readonly compiled: CompiledSchedule;
  readonly trace: Trace;
  readonly rows: Rows | undefined;
}

const longest = 80;

/** A text in one line, cut where it is long. */
function shortened({ syntax }: ReadContext, { start, end }: Span): string {
  const text = syntax.text.slice(start, end).replace(/\s+/g, ' ');
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Compiles the schedule once, when it is first asked for. What is wrong in it has been reported by then. */
export function tracedSchedule(
  { context, reporter, baseRows }: Pick<ScheduleReading, 'context' | 'reporter' | 'baseRows'>,
  schedule: { readonly name: string; readonly symbol: string },
  entries: readonly Entry[],
  rowsOf: (context: ReadContext, compiled: CompiledSchedule) => Rows | undefined,
): () => Traced {
  let known: Traced | undefined;
  return () => {
    if (known !== undefined) return known;
    // Details of symbols are notes for the first compilation alone.
    const quiet = { ...context, symbols: new Map(context.symbols), report: reporter(0) };
    const trace = createTrace();
    const compiled = compileSchedule(quiet, { ...schedule, baseRows }, entries, trace.compile);
    known = { context: quiet, compiled, trace, rows: rowsOf(quiet, compiled) };
    return known;
  };
}

/** Of rows. */
export function rowTracer(
  traced: () => Traced,
  args: ReadonlyMap<string, number>,
  parts: number,
  uri: string,
  numbers: PlacedNumbers,
): RowTracer {
  /** Writes the row of a device; afterwards the frame has its operations. */
  function write(device: number, run: (trace: Trace, expand: () => void, row: Row | undefined) => void): Frame {
    const { compiled, trace, rows = { byDevice: new Map(), computed: [] }, context } = traced();
    const frame = frameOf(compiled, numbers, args, context.report);
    frame.parts = parts;
    const row = enterRow(frame, rowsOn(frame, rows, numbers.devices), device, numbers.stagesOf);
    const expand = (): void => {
      for (const item of row?.items ?? []) if (!frame.failed) writeItem(frame, item);
    };
    run(trace, expand, row);
    return frame;
  }

  return {
    uri,
    writes: (text) => traced().trace.writes(text),
    written(device, texts) {
      const { out } = write(device, (trace, expand) => trace.mark(texts, expand));
      return Uint8Array.from(out.stages.subarray(0, out.length));
    },
    origin(device, position): OperationOrigin | undefined {
      const { out } = write(device, (trace, expand) => trace.number(expand));
      if (position < 0 || position >= out.length) return undefined;
      const writing = out.stages[position];
      let found: OperationOrigin | undefined;
      write(device, (trace, expand, row) => {
        const outer: readonly Bound[] =
          row?.slot === undefined ? [] : [{ name: parameterOf(row.entry), slot: row.slot }];
        const described = trace.describe(writing, outer, expand);
        const { context } = traced();
        const [first] = described?.expressions ?? [];
        const last = described?.expressions.at(-1);
        if (described === undefined || last === undefined || first === undefined) return;
        found = {
          place: context.report.place(last),
          text: shortened(context, last),
          item: first === last ? '' : shortened(context, first),
          path: [`row(${device})`, ...described.calls],
          numbers: described.numbers,
        };
      });
      return found;
    },
  };
}

const parameterOf = ({ parameters = [] }: Entry): string => {
  const [parameter] = parameters;
  return parameter?.kind === 'name' ? parameter.text : '';
};

/** Of a clock table: each operation comes from the slot of its kind. */
export function slotTracer(
  context: ReadContext,
  frame: () => Frame,
  table: SlotTable,
  numbers: PlacedNumbers,
): RowTracer {
  let known: readonly RowPlan[] | undefined;
  const rows = (): readonly RowPlan[] => (known ??= slotRows(frame(), table, numbers) ?? []);
  const { entries } = table;
  const isIn = ({ start, end }: Span, text: Span): boolean => start <= text.start && text.end <= end;
  return {
    uri: context.uri,
    writes: (text) => entries.some(({ entry }) => isIn(entry, text)),
    written(device, texts) {
      const wanted = entries.map(({ entry }) => texts.some((text) => isIn(entry, text)));
      return Uint8Array.from(unpack(rows()[device]?.items ?? nothing), (item) => (wanted[item] ? 1 : 0));
    },
    origin(device, position) {
      const row = rows()[device];
      const item = row === undefined ? undefined : unpack(row.items)[position];
      if (row === undefined || item === undefined) return undefined;
      const { entry, at } = entries[item];
      const [, ...named] = entry.parameters ?? [];
      const [stage, microbatch] = at !== undefined && at.stage === undefined ? [undefined, ...named] : named;
      const number = (name: string, value: number): NamedNumber => ({ name, value, dimension: 'number' });
      const given = [
        number(stage?.kind === 'name' ? stage.text : 'stage', unpack(row.stages)[position]),
        number(microbatch?.kind === 'name' ? microbatch.text : 'microbatch', unpack(row.microbatches)[position]),
      ];
      const slot = row.slots === undefined ? undefined : unpack(row.slots)[position];
      return {
        place: context.report.place(entry),
        text: shortened(context, entry),
        item: '',
        path: [],
        numbers: slot === undefined ? given : [...given, number('slot', slot)],
      };
    },
  };
}
