/** `base(d)` in a row: the operations that the schedule taken over has on device d. */
import type { Call, Entry, Expression } from '../../grammar/syntax.ts';
import type { NumberCode, SequenceCode } from './code.ts';
import { depthOf, usesOf } from './code.ts';
import { joined } from './combine.ts';
import { type Frame, outside } from './frame.ts';
import { wrongCount } from './letText.ts';
import type { BaseRow, Names } from './names.ts';
import { compileNumber, compileSequence, parameterSlot, wrong } from './operands.ts';

/** What begins the symbol of `base` in a schedule: its name in the table of schedules follows. */
export const baseSymbol = 'base:';

/** Operations of the base on a device; `undefined` where that is wrong, which has been reported. */
export function baseRow(names: Names, call: Call, symbol: string): SequenceCode | undefined {
  const [argument, ...more] = call.arguments;
  const isPlain = argument !== undefined && more.length === 0 && (argument.name?.text ?? 'd') === 'd';
  if (!isPlain) return wrongCount(names, call, [{ name: 'd' }]);
  const rows = rowsOf(names, call, symbol);
  const device = compileNumber(names, argument.value, 'number');
  if (rows === undefined || device === undefined) return undefined;
  return chosenRow(rows, device, argument.value);
}

function rowsOf(names: Names, call: Call, symbol: string): readonly BaseRow[] | undefined {
  const { base } = names;
  if (base === undefined) return wrong(names, call, 'a row: only rows can use `base(d)`, and a `let` cannot');
  if (base.compiled.has(symbol)) return base.compiled.get(symbol);
  const written = base.written.get(symbol) ?? [];
  // What a base is made of comes before it, so a circle is not possible.
  const rows = written.map((entry) => compileRow(names, entry));
  const sound = written.length > 0 && rows.every((row) => row !== undefined) ? rows : undefined;
  if (written.length === 0) wrong(names, call, 'a schedule to take over that has rows, for `base(d)`');
  // The row of one device comes before the row of all, wherever it is written.
  const sorted = sound?.toSorted((a, b) => Number('slot' in a.on) - Number('slot' in b.on));
  base.compiled.set(symbol, sorted);
  return sorted;
}

function compileRow(names: Names, { parameters: [at] = [], values = [] }: Entry): BaseRow | undefined {
  if (at === undefined) return undefined;
  // A parameter has its slot before its name is used.
  const slot = at.kind === 'name' ? parameterSlot(names, at) : undefined;
  const device = slot === undefined ? compileNumber(names, at, 'number') : undefined;
  const code = joinedRow(names, values);
  if (code === undefined) return undefined;
  if (slot !== undefined) return { on: { slot }, code };
  return device && { on: { device }, code };
}

function joinedRow(names: Names, values: readonly Expression[]): SequenceCode | undefined {
  const parts = values.map((value) => compileSequence(names, value));
  return parts.every((part) => part !== undefined) ? joined(parts) : undefined;
}

function chosenRow(rows: readonly BaseRow[], device: NumberCode, at: Expression): SequenceCode {
  const slots = new Set(rows.flatMap(({ on }) => ('slot' in on ? [on.slot] : [])));
  const codes = rows.map(({ code }) => code);
  const uses = new Set([...device.uses, ...[...usesOf(codes)].filter((slot) => !slots.has(slot))]);
  /** The row of the device, with its parameter set. */
  const chosen = (frame: Frame): SequenceCode | undefined => {
    const found = device.at(frame);
    const [, devices] = frame.slots;
    if (!(Number.isInteger(found) && found >= 0 && found < devices)) {
      outside(frame, at, 'The device of `base`', String(found), `a whole number from 0 to ${devices - 1}`);
      return undefined;
    }
    const row = rows.find(({ on }) => 'slot' in on || on.device.at(frame) === found);
    if (row !== undefined && 'slot' in row.on) frame.slots[row.on.slot] = found;
    return row?.code;
  };
  return {
    kind: 'sequence',
    uses,
    depth: depthOf([device, ...codes]),
    size: (frame) => chosen(frame)?.size(frame) ?? 1,
    emit(frame) {
      chosen(frame)?.emit(frame);
    },
  };
}
