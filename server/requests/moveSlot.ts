/** Moves an operation of a building block to another slot: finds the smallest edit of `slot(…)` that does it, and what it makes. */
import type { DeclaredSchedule } from '../../engine/definitions/schedule.ts';
import { createReporter } from '../../engine/findings/reporter.ts';
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import { excessText } from '../../engine/grid/shapeLimit.ts';
import { askingFor, stagesOn, unitPlan } from '../../engine/grid/unitPlan.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import { scheduleEvaluator } from '../../engine/read/scheduleEvaluator.ts';
import { letters } from '../../engine/values/program.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { type Entry, type Expression, parse, type SyntaxFile } from '../../grammar/index.ts';
import type { MoveSlotAnswer, MoveSlotRequest, Overrides } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';
import { askedShape } from './shownSchedules.ts';
import { ruleEdits, stageEdit } from './slotEdits.ts';

/** Null where there is no such operation, or it is in that slot already. */
export function moveSlot(view: View, request: MoveSlotRequest, searches: Searches): MoveSlotAnswer | null {
  const { schedule, kind, stage, slot, alone, overrides = {} } = request;
  const { resolution } = view.analysis;
  const declared = resolution.schedules.find(({ name }) => name === schedule);
  const written = slotEntry(view.syntax, schedule, kind);
  if (declared === undefined || written === undefined || !Number.isSafeInteger(slot) || slot < 0) return null;
  const shape = askedShape(resolution, declared, overrides);
  const before = slotsOf(declared, shape, kind);
  const from = before?.[stage];
  if (before === undefined || from === undefined || from === slot) return null;
  const { value, parameter } = written;
  const delta = slot - from;
  const edits = alone ? [stageEdit(value, parameter, stage, delta)] : ruleEdits(value, delta);
  // The first edit is taken that brings this operation there.
  for (const edit of edits) {
    const trial = resolvedWith(view, edit, searches);
    const changed = trial.resolution.schedules.find(({ name }) => name === schedule);
    const after = changed === undefined ? undefined : slotsOf(changed, shape, kind);
    const moves = changed !== undefined && after?.[stage] === slot;
    // A slot below 0 is no block: all that can be said is why.
    if (!moves && (after !== undefined || edit !== edits.at(-1))) continue;
    const stages = (after ?? []).flatMap((now, index) => (now === before[index] ? [] : [index]));
    const problem = problemOf(changed, shape, trial.resolution, view);
    return {
      version: view.version,
      text: entryText(trial.syntax, schedule, kind),
      stages,
      edit: { range: rangeIn(view, edit), newText: edit.text },
      ...(problem === undefined ? {} : { problem }),
    };
  }
  return null;
}

type Shape = ReturnType<typeof askedShape>;

/** Slots of all stages. */
function slotsOf(declared: DeclaredSchedule, { shape, args }: Shape, kind: string): readonly number[] | undefined {
  const { value: definition } = scheduleEvaluator.bind(declared, args);
  const stages = definition === undefined ? undefined : stagesOn(definition, shape.devices);
  if (definition?.kind !== 'rows' || stages === undefined) return undefined;
  const { value: block } = scheduleEvaluator.block(definition, { ...shape, stages });
  return block?.kinds.find((each) => letters[each.kind] === kind)?.slots;
}

/** Why the schedule has no order for the shape. */
function problemOf(
  declared: DeclaredSchedule | undefined,
  { shape, args }: Shape,
  { findings }: Resolution,
  { uri, options }: View,
): string | undefined {
  const report = createReporter(uri, 5);
  const definition = declared && askingFor(report).heard(scheduleEvaluator.bind(declared, args));
  const made = definition === undefined ? {} : unitPlan(definition, shape, report, options.limits);
  if ('plan' in made) return undefined;
  if ('refused' in made && made.refused !== undefined) return made.refused;
  if ('excess' in made && made.excess !== undefined) return excessText(made.excess);
  const all = [...report.findings, ...(declared === undefined ? findings : [])];
  return all.find(({ severity }) => severity === 'error')?.message ?? 'The block cannot be so.';
}

function resolvedWith(
  { uri, syntax, files, options }: View,
  edit: Edit,
  searches: Searches,
): { readonly syntax: SyntaxFile; readonly resolution: Resolution } {
  const text = apply(syntax.text, [edit]);
  const tried = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return {
    syntax: tried,
    resolution: resolve({ uri, syntax: tried, host: files, options, overrides: none, searches }),
  };
}

const none: Overrides = {};

interface WrittenSlot {
  readonly entry: Entry;
  readonly value: Expression;
  /** Name of the stage in the entry. */
  readonly parameter: string;
}

/** `slot(F, s) = …` of a schedule. */
function slotEntry(syntax: SyntaxFile, schedule: string, kind: string): WrittenSlot | undefined {
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'schedule' || declaration.name?.text !== schedule)
      continue;
    for (const entry of declaration.body?.entries ?? []) {
      if (entry.kind !== 'entry' || entry.key.text !== 'slot') continue;
      const [letter, stage] = entry.parameters ?? [];
      const [value] = entry.values ?? [];
      if (letter?.kind === 'name' && letter.text === kind && stage?.kind === 'name' && value !== undefined)
        return { entry, value, parameter: stage.text };
    }
  }
  return undefined;
}

function entryText(syntax: SyntaxFile, schedule: string, kind: string): string {
  const found = slotEntry(syntax, schedule, kind)?.entry;
  return found === undefined ? '' : syntax.text.slice(found.start, found.end).replace(/\s+/g, ' ');
}
