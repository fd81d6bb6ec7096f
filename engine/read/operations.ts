/** Reads the operations that a schedule declares. */
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { readKeys, type Keys, valueOf } from '../language/keys.ts';
import { detail } from '../language/context.ts';
import { valueKinds } from '../language/kinds.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { Dimension } from '../values/plan.ts';
import { kinds, mostDeclared } from '../values/program.ts';
import type { NumberCode, SequenceCode } from '../sequences/code.ts';
import { joined } from '../sequences/combine.ts';
import { compileRule, type RuleCode } from '../sequences/guards.ts';
import { declaredIn, namesOfWaits, slotOf } from '../sequences/names.ts';
import { compileNumber, compileSequence, parameterSlot } from '../sequences/operands.ts';
import { type CompiledSchedule, tooDeep } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

/** A parameter of a key: the device, the stage or the number of the operation. */
export type OperationParameter = 'd' | 's' | 'j';

/** A key of an operation with the slots of its parameters. */
export interface OperationKey<C> {
  readonly code: C;
  readonly slots: readonly (readonly [slot: number, of: OperationParameter])[];
  readonly at: Expression;
}

export interface DeclaredOperation {
  readonly name: string;
  readonly kind: number;
  /** A row names it. That nothing does is reported where names are. */
  readonly used: boolean;
  /** Slot of its stage, for words such as `weights`. */
  readonly stage: number;
  readonly time?: OperationKey<RuleCode>;
  readonly holds?: OperationKey<RuleCode>;
  readonly sends?: OperationKey<RuleCode>;
  readonly to?: OperationKey<RuleCode>;
  readonly on?: OperationKey<NumberCode> & { readonly entry: Entry };
  readonly after?: OperationKey<SequenceCode>;
  readonly before?: OperationKey<SequenceCode>;
}

/** In the order of their kinds; `undefined` where one is wrong (reported). */
export function readOperations(
  context: ReadContext,
  compiled: CompiledSchedule,
  schedule: string,
  keys: Keys,
): readonly DeclaredOperation[] | undefined {
  const before = context.report.errors();
  const declared = declaredIn(context, schedule, keys.entries);
  const found = declared.map(({ entry, symbol }, index) => {
    const { name } = entry;
    if (name !== undefined && index === mostDeclared)
      context.report.report('value/range', name, {
        what: `The number of operations of schedule "${compiled.name}"`,
        value: String(declared.length),
        allowed: `at most ${mostDeclared}`,
      });
    return readOperation(context, compiled, entry, symbol, kinds + index);
  });
  return context.report.errors() === before ? found : undefined;
}

function readOperation(
  context: ReadContext,
  compiled: CompiledSchedule,
  entry: Entry,
  symbol: string,
  kind: number,
): DeclaredOperation {
  const keys = readKeys(context, 'operation', entry.body, entry.name ?? entry.key);
  const stage = slotOf(compiled.names, `${symbol}/stage`);
  const cost = (name: string, dimension: Dimension, allowed?: readonly OperationParameter[]) => {
    const found = keys.find(name);
    return found && costOf(context, compiled, found, dimension, stage, allowed);
  };
  const operations = (name: string) => {
    const found = keys.find(name);
    return found && sequenceOf(context, compiled, found);
  };
  const time = cost('time', 'time', ['d', 's', 'j']);
  const [holds, sends, to] = [cost('holds', 'bytes'), cost('sends', 'bytes'), cost('to', 'number')];
  const onEntry = keys.find('on');
  const on = onEntry && deviceOf(context, compiled, onEntry);
  const [after, before] = [operations('after'), operations('before')];
  detail(context, symbol, `operation of ${compiled.name}`);
  return {
    name: entry.name?.text ?? '',
    kind,
    used: context.used.has(symbol),
    stage,
    ...(time === undefined ? {} : { time }),
    ...(holds === undefined ? {} : { holds }),
    ...(sends === undefined ? {} : { sends }),
    ...(to === undefined ? {} : { to }),
    ...(on === undefined ? {} : { on }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

function costOf(
  context: ReadContext,
  { names }: CompiledSchedule,
  entry: Entry,
  dimension: Dimension,
  stage: number,
  allowed: readonly OperationParameter[] = ['d', 's'],
): OperationKey<RuleCode> | undefined {
  const slots = slotsOf(context, names, entry, allowed);
  const [at] = entry.values ?? [];
  if (at === undefined || at.kind === 'missing') return undefined;
  const { words } = valueKinds.cost;
  const code = compileRule(
    { names, letters: ['F', 'B', 'I', 'W', 'R'], context: 'cost', stage, ...(words === undefined ? {} : { words }) },
    at,
  );
  if (code === undefined || slots === undefined) return undefined;
  if (code.kind === 'truth' || code.dimension !== dimension) {
    const found = code.kind === 'truth' ? 'a comparison' : phraseOf[code.dimension];
    wrongDimension(context, at, dimension, found);
    return undefined;
  }
  return { code, slots, at };
}

function deviceOf(context: ReadContext, { names }: CompiledSchedule, entry: Entry): DeclaredOperation['on'] {
  const slots = slotsOf(context, names, entry, ['s', 'j']);
  const at = valueOf(entry);
  const code = at === undefined ? undefined : compileNumber(names, at, 'number');
  if (at === undefined || code === undefined || slots === undefined || tooDeep(names, at, code)) return undefined;
  return { code, slots, at, entry };
}

function sequenceOf(
  context: ReadContext,
  { names }: CompiledSchedule,
  entry: Entry,
): OperationKey<SequenceCode> | undefined {
  const slots = slotsOf(context, names, entry, ['d', 's', 'j']);
  const values = entry.values ?? [];
  const waits = namesOfWaits(names);
  const parts = values.map((value) => compileSequence(waits, value));
  const code = parts.every((part) => part !== undefined) ? joined(parts) : undefined;
  const [at] = values;
  if (code === undefined || slots === undefined || at === undefined || tooDeep(names, at, code)) return undefined;
  return { code, slots, at };
}

function slotsOf(
  context: ReadContext,
  names: CompiledSchedule['names'],
  { parameters = [] }: Entry,
  allowed: readonly OperationParameter[],
): OperationKey<unknown>['slots'] | undefined {
  const slots: (readonly [number, OperationParameter])[] = [];
  for (const parameter of parameters) {
    const of = parameter.kind === 'name' ? allowed.find((name) => name === parameter.text) : undefined;
    const slot = of === undefined || parameter.kind !== 'name' ? undefined : parameterSlot(names, parameter);
    if (of !== undefined && slot !== undefined) slots.push([slot, of]);
    else if (parameter.kind !== 'missing')
      context.report.report('type/mismatch', parameter, {
        expected: `parameters ${allowed.map((name) => `\`${name}\``).join(', ')}`,
        found: `\`${context.syntax.text.slice(parameter.start, Math.min(parameter.end, parameter.start + 40))}\``,
      });
  }
  return slots.length === parameters.length ? slots : undefined;
}
