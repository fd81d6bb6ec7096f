/** Reads a clock table or a building block of a schedule: `slot(F, s, j) = …`, or `slot(F, s) = …` with a `period`. */
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { type Keys, missing, notApplicable, valueOf, wordOrDefault } from '../language/keys.ts';
import { B, E, F, I, kinds, L, letters, W } from '../values/program.ts';
import type { NumberCode } from '../sequences/code.ts';
import { type Keeper, keeperArgument } from '../sequences/keeper.ts';
import { compileNumber } from '../sequences/operands.ts';
import { type CompiledSchedule, slotsOf, tooDeep } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';
import type { DeclaredOperation } from './operations.ts';

/** The slots of one kind of operations. */
export interface SlotEntry {
  readonly entry: Entry;
  /** Number of `program.ts`. */
  readonly kind: number;
  /** Its letter, or the name of the operation. */
  readonly name: string;
  /** Only for an operation that the schedule declares. */
  readonly operation?: DeclaredOperation;
  /** Absent for `free`: the first slot that is free after its I. */
  readonly at?: {
    readonly code: NumberCode;
    readonly value: Expression;
    /**
     * Slots of the frame for the stage and the microbatch. A table without microbatches has a period. An operation without a stage
     * belongs to one of its device.
     */
    readonly stage: number | undefined;
    readonly microbatch: number | undefined;
  };
}

export interface SlotTable {
  readonly kind: 'slots';
  readonly entries: readonly SlotEntry[];
  readonly period?: { readonly code: NumberCode; readonly value: Expression };
  /** Moves operations to where a device would idle. */
  readonly fill: boolean;
  /** Keeper of the activations that E sends; only with slots of E. */
  readonly keeper?: Keeper;
}

/** The table; `undefined` where it is wrong, which has been reported. */
export function readSlots(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  operations: readonly DeclaredOperation[],
): SlotTable | undefined {
  for (const key of ['backward', 'in_flight', 'parts'] as const) {
    const entry = keys.find(key);
    if (entry !== undefined) notApplicable(context, entry, 'the slots decide');
  }
  const fill = wordOrDefault<'true' | 'false'>(context, keys, 'fill');
  const periodEntry = keys.find('period');
  const value = valueOf(periodEntry);
  const code = value === undefined ? undefined : compileNumber(compiled.names, value, 'number');
  const period = value === undefined || code === undefined ? undefined : { code, value };
  const entries = new Map<number, SlotEntry>();
  let wrong = fill === undefined || (periodEntry !== undefined && period === undefined);
  for (const entry of keys.all('slot')) {
    const found = readSlot(context, compiled, entry, periodEntry !== undefined, operations);
    const earlier = found === undefined ? undefined : entries.get(found.kind);
    if (found === undefined) wrong = true;
    else if (earlier === undefined) entries.set(found.kind, found);
    else {
      const related = [{ place: context.report.place(earlier.entry.key), message: 'This one is used.' }];
      const key = `slot(${found.name})`;
      context.report.report(
        'key/duplicate',
        entry.key,
        { key, block: 'schedule' },
        { related, hint: { kind: 'remove' } },
      );
    }
  }
  const offload = readOffload(context, compiled, keys, entries);
  if (wrong || offload === undefined || keys.doubtful || !isWhole(context, keys, entries)) return undefined;
  return {
    kind: 'slots',
    // Copies come first in a slot that they share.
    entries: [...entries.values()].sort((a, b) => rank(a.kind) - rank(b.kind)),
    ...(period === undefined ? {} : { period }),
    fill: fill === 'true',
    ...(offload === 'none' ? {} : { keeper: offload }),
  };
}

/** `offload = host`, `offload(d) = devices - 1 - d`; `none` if the table has no E and L. */
function readOffload(
  context: ReadContext,
  { names }: CompiledSchedule,
  keys: Keys,
  entries: ReadonlyMap<number, SlotEntry>,
): Keeper | 'none' | undefined {
  const entry = keys.find('offload');
  const [out, back] = [entries.get(E), entries.get(L)];
  if (out === undefined && back === undefined) {
    if (entry !== undefined) notApplicable(context, entry, 'the table has no slots of E and L');
    return 'none';
  }
  const [some] = [out ?? back].flatMap((each) => each ?? []);
  if (out === undefined || back === undefined) {
    const key = `slot(${out === undefined ? 'E' : 'L'})`;
    const example = `slot(${out === undefined ? 'E' : 'L'}, s, j) = …`;
    if (some !== undefined) context.report.report('key/missing', some.entry.key, { key, block: 'schedule', example });
    return undefined;
  }
  const value = valueOf(entry);
  if (entry === undefined) missing(context, 'schedule', 'offload', out.entry.key);
  if (entry === undefined || value === undefined) return undefined;
  const [slot] = slotsOf(names, entry.parameters ?? []);
  return keeperArgument(names, value, slot);
}

const rank = (kind: number): number => (kind === E || kind === L ? kind - kinds : kind);

/** Whether there are forwards, and backwards of one form. */
function isWhole({ report }: ReadContext, keys: Keys, entries: ReadonlyMap<number, SlotEntry>): boolean {
  const [first] = keys.all('slot');
  const whole = entries.get(B);
  const part = entries.get(I) ?? entries.get(W);
  if (whole !== undefined && part !== undefined) {
    report.report('type/mismatch', part.entry.key, {
      expected: 'slots of B, or of I and W',
      found: `slots of B and of ${letters[part.kind]}`,
    });
    return false;
  }
  for (const kind of whole === undefined ? [F, ...(part === undefined ? [B] : [I, W])] : [F]) {
    if (entries.has(kind)) continue;
    const key = `slot(${letters[kind]})`;
    const example = kind === W ? '`slot(W) = free`'.replaceAll('`', '') : `slot(${letters[kind]}, s, j) = …`;
    report.report('key/missing', first.key, { key, block: 'schedule', example });
    return false;
  }
  return true;
}

function readSlot(
  context: ReadContext,
  { names }: CompiledSchedule,
  entry: Entry,
  repeats: boolean,
  operations: readonly DeclaredOperation[],
): SlotEntry | undefined {
  const { report } = context;
  const [kindName, ...rest] = entry.parameters ?? [];
  const refuse = (expected: string, found: string): undefined => {
    report.report('type/mismatch', entry.key, { expected, found });
    return undefined;
  };
  if (kindName?.kind === 'missing' || rest.some(({ kind }) => kind === 'missing')) return undefined;
  const declared = kindName?.kind === 'name' ? names.declared.get(context.links.get(kindName) ?? '') : undefined;
  if (declared !== undefined) {
    const operation = operations.find((each) => each.kind === kinds + declared);
    return operation && readDeclared(context, names, entry, operation, repeats);
  }
  const kind = kindName?.kind === 'name' ? letters.findIndex((letter) => letter === kindName.text) : -1;
  // An unknown name has been reported.
  if (kind < 0) return kindName?.kind === 'name' ? undefined : refuse('a kind, as `slot(F, s, j)`', 'something else');
  const value = valueOf(entry);
  if (value === undefined) return undefined;
  if (value.kind === 'name' && value.text === 'free' && !context.links.has(value)) {
    const name = letters[kind];
    if (kind !== W) return refuse('a slot: only W may be `free`', `a free slot of ${letters[kind]}`);
    return rest.length === 0 ? { entry, kind, name } : refuse('`slot(W) = free`', `${rest.length} more parameters`);
  }
  const slots = slotsOf(names, rest);
  const [stage, microbatch] = slots;
  const expected = repeats
    ? `\`slot(${letters[kind]}, s)\`, because \`period\` repeats it`
    : `\`slot(${letters[kind]}, s, j)\``;
  if (!repeats && slots.length === 1 && rest.length === 1) {
    missing(context, 'schedule', 'period', entry.key);
    return undefined;
  }
  if (stage === undefined || slots.length !== rest.length || slots.length !== (repeats ? 1 : 2) || stage === microbatch)
    return refuse(expected, `${rest.length} ${rest.length === 1 ? 'name' : 'names'} after the kind`);
  const code = compileNumber(names, value, 'number');
  if (code === undefined || tooDeep(names, value, code)) return undefined;
  return { entry, kind, name: letters[kind], at: { code, value, stage, microbatch } };
}

/** `slot(loss, j)`, `slot(loss, s, j)`, or with a period `slot(loss)`, `slot(loss, s)`. */
function readDeclared(
  context: ReadContext,
  names: CompiledSchedule['names'],
  entry: Entry,
  operation: DeclaredOperation,
  repeats: boolean,
): SlotEntry | undefined {
  const { name, kind, on } = operation;
  const [, ...rest] = entry.parameters ?? [];
  const [only] = rest;
  if (!repeats && rest.length === 1 && only.kind === 'name' && only.text === 's') {
    missing(context, 'schedule', 'period', entry.key);
    return undefined;
  }
  const slots = slotsOf(names, rest);
  const most = repeats ? 1 : 2;
  if (
    slots.length !== rest.length ||
    slots.length > most ||
    slots.length < most - 1 ||
    new Set(slots).size < slots.length
  ) {
    const expected = repeats
      ? `\`slot(${name})\` or \`slot(${name}, s)\`, because \`period\` repeats it`
      : `\`slot(${name}, j)\` or \`slot(${name}, s, j)\``;
    const found = `${rest.length} ${rest.length === 1 ? 'name' : 'names'} after the operation`;
    context.report.report('type/mismatch', entry.key, { expected, found });
    return undefined;
  }
  const stage = slots.length === most ? slots[0] : undefined;
  const microbatch = repeats ? undefined : slots.at(-1);
  if (stage === undefined && on === undefined) {
    missing(context, 'operation', 'on', entry.key);
    return undefined;
  }
  if (stage === undefined && on?.slots.some(([, of]) => of === 's') === true) {
    context.report.report('type/mismatch', entry.key, {
      expected: `\`slot(${name}, s${repeats ? '' : ', j'})\`, because \`on\` of the operation names its stage`,
      found: 'no stage',
    });
    return undefined;
  }
  const value = valueOf(entry);
  const code = value === undefined ? undefined : compileNumber(names, value, 'number');
  if (value === undefined || code === undefined || tooDeep(names, value, code)) return undefined;
  return { entry, kind, name, operation, at: { code, value, stage, microbatch } };
}
