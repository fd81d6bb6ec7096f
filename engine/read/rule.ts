/** Reads what a schedule by rule says beyond `greedy(prefer = …)`: `allow`, `prefer(d)`, `ties`, `limit`. */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { conjuncts } from '../../grammar/conjuncts.ts';
import { canonicalText } from '../language/canonical.ts';
import { missing, notApplicable, valueOf, type Keys, wordOrDefault } from '../language/keys.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { GreedyRule, GuardPlan, RuleOperation, Place, Ties } from '../values/plan.ts';
import { show } from '../basics/quantities.ts';
import type { NumberCode } from '../sequences/code.ts';
import { countsEach, type Frame, outside } from '../sequences/frame.ts';
import { type Keeper, keeperArgument } from '../sequences/keeper.ts';
import { type RuleCode, ruleTruth } from '../sequences/guards.ts';
import { compileNumber, parameterSlot } from '../sequences/operands.ts';
import { type CompiledFunction, type CompiledSchedule, numberFunction, slotsOf } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';
import { isDeclared, preferenceOf } from './preference.ts';

/** A stage or a device that an entry is for: all of them through a parameter, or one. */
type Owner = { readonly slot: number } | { readonly number: NumberCode; readonly at: Expression };

interface Allow {
  readonly operation: RuleOperation;
  readonly owner: Owner;
  readonly conditions: readonly {
    readonly code: RuleCode;
    readonly text: string;
    readonly written: number;
    readonly at: Expression;
  }[];
}

interface Prefer {
  readonly owner: Owner;
  readonly letters: readonly RuleOperation[];
}

/** A rule before it knows its arguments. */
export interface Rule {
  readonly allows: readonly Allow[];
  readonly prefers: readonly Prefer[];
  readonly ties: Ties;
  readonly limit?: { readonly entry: Entry; readonly compiled: CompiledFunction };
  /** Who keeps what E sends; only with E. */
  readonly keeper?: Keeper;
  /** Places of the conditions, by their number. */
  readonly written: readonly Place[];
}

/** `none` if none of it is written; `undefined` where a part is wrong (reported). */
export function readRule(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  prefer: readonly RuleOperation[],
): Rule | 'none' | undefined {
  const before = context.report.errors();
  const written: Place[] = [];
  const allows = keys.all('allow').flatMap((entry) => readAllow(context, compiled, entry, prefer, written) ?? []);
  const prefers = keys.all('prefer').flatMap((entry) => readPrefer(context, compiled, entry, prefer) ?? []);
  const ties = wordOrDefault<Ties>(context, keys, 'ties');
  const limitEntry = keys.find('limit');
  const limit = limitEntry === undefined ? undefined : readLimit(context, compiled, keys, limitEntry);
  const offload = keys.find('offload');
  if (offload !== undefined && !prefer.includes('E')) notApplicable(context, offload, 'the rule has no E and L');
  const keeper = prefer.includes('E') ? readKeeper(context, compiled, keys) : undefined;
  if (ties === undefined || context.report.errors() !== before) return undefined;
  const plain = allows.length === 0 && prefers.length === 0 && ties === 'oldest' && limit === undefined;
  if (plain && prefer.every((kind) => plainKinds.includes(kind))) return 'none';
  return {
    allows,
    prefers,
    ties,
    ...(limit === undefined || limitEntry === undefined ? {} : { limit: { entry: limitEntry, compiled: limit } }),
    ...(keeper === undefined ? {} : { keeper }),
    written,
  };
}

/** `offload = host`, `offload(d) = devices - 1 - d`. */
function readKeeper(context: ReadContext, { names }: CompiledSchedule, keys: Keys): Keeper | undefined {
  const entry = keys.find('offload');
  const value = valueOf(entry);
  const [order] = keys.all('order');
  if (entry === undefined && order !== undefined) missing(context, 'schedule', 'offload', order.key);
  if (entry === undefined || value === undefined) return undefined;
  const [slot] = slotsOf(names, entry.parameters ?? []);
  return keeperArgument(names, value, slot);
}

/** `allow(F, s) = held(s) < 4, …`. */
function readAllow(
  context: ReadContext,
  { names }: CompiledSchedule,
  { key, parameters = [], values = [] }: Entry,
  letters: readonly RuleOperation[],
  written: Place[],
): Allow | undefined {
  const [kind, stage, third] = parameters;
  if (kind === undefined || stage === undefined || third !== undefined) {
    context.report.report('type/mismatch', key, {
      expected: 'an operation and a stage, as `allow(F, s)`',
      found: String(parameters.length),
    });
    return undefined;
  }
  const operation = kind.kind === 'name' ? letters.find((letter) => letter === kind.text) : undefined;
  if (operation === undefined) {
    const expected = `an operation that \`prefer\` lists: ${letters.map((letter) => `\`${letter}\``).join(', ')}`;
    const text = context.syntax.text.slice(kind.start, Math.min(kind.end, kind.start + 40));
    if (kind.kind !== 'missing' && (kind.kind !== 'name' || kindNames.includes(kind.text) || isDeclared(context, kind)))
      context.report.report('type/mismatch', kind, { expected, found: `\`${text}\`` });
    return undefined;
  }
  const owner = ownerOf({ names }, stage);
  // With `and` each of them is a condition, as with a comma.
  const conditions = values
    .flatMap((value) => conjuncts(value))
    .map((value) => ({ value, code: ruleTruth({ names, letters }, value) }));
  if (owner === undefined) return undefined;
  return {
    operation,
    owner,
    conditions: conditions.flatMap(({ value, code }) => {
      if (code === undefined) return [];
      written.push(context.report.place(value));
      return [{ code, text: canonicalText(context.syntax, value), written: written.length - 1, at: value }];
    }),
  };
}

/** Kinds that the plain list scheduler knows. */
const plainKinds: readonly string[] = ['F', 'B', 'I', 'W'];
const kindNames: readonly string[] = ['F', 'B', 'I', 'W', 'R', 'U', 'E', 'L'];

/** `prefer(d) = [B, F]`, `prefer(0) = [F, B]`. */
function readPrefer(
  context: ReadContext,
  compiled: CompiledSchedule,
  { key, parameters = [], values = [] }: Entry,
  letters: readonly RuleOperation[],
): Prefer | undefined {
  const [device, second] = parameters;
  if (device === undefined || second !== undefined) {
    context.report.report('type/mismatch', key, {
      expected: 'one device, as `prefer(d)` or `prefer(0)`',
      found: String(parameters.length),
    });
    return undefined;
  }
  const owner = ownerOf(compiled, device);
  const [value] = values;
  const found = value === undefined ? undefined : preferenceOf(context, value);
  if (owner === undefined || value === undefined || found === undefined) return undefined;
  if ([...found].sort().join('') === [...letters].sort().join('')) return { owner, letters: found };
  context.report.report('type/mismatch', value, {
    expected: `each of ${letters.map((letter) => `\`${letter}\``).join(', ')} once, as in \`order\``,
    found: `\`${found.join(', ')}\``,
  });
  return undefined;
}

function ownerOf({ names }: Pick<CompiledSchedule, 'names'>, at: Expression): Owner | undefined {
  if (at.kind === 'missing') return undefined;
  const slot = at.kind === 'name' ? parameterSlot(names, at) : undefined;
  if (slot !== undefined) return { slot };
  const number = compileNumber(names, at, 'number');
  return number && { number, at };
}

/** `limit = 60GiB`, `limit(d) = if(d == 0, 40GiB, 60GiB)`. */
function readLimit(
  context: ReadContext,
  { names }: CompiledSchedule,
  keys: Keys,
  entry: Entry,
): CompiledFunction | undefined {
  const weights = keys.find('weights')?.values?.[0];
  if (weights?.kind === 'name' && weights.text !== 'flush') {
    notApplicable(
      context,
      entry,
      'it does not count the versions of weights that this update rule keeps; use `in_flight`',
    );
    return undefined;
  }
  const compiled = numberFunction(names, entry);
  if (compiled === undefined || compiled.code.dimension === 'bytes') return compiled;
  wrongDimension(context, entry.values?.[0] ?? entry.key, 'bytes', phraseOf[compiled.code.dimension]);
  return undefined;
}

/** The rule for the numbers of a pipeline; `undefined` where an expression is wrong for them (reported). */
export function ruleFor(
  frame: Frame,
  rule: Rule,
  prefer: readonly RuleOperation[],
  { stages, devices }: ScheduleNumbers,
): GreedyRule | undefined {
  const guards: GuardPlan[] = [];
  const recomputes = prefer.includes('R') ? Array.from({ length: stages }, () => true) : undefined;
  for (const { operation, owner, conditions } of rule.allows) {
    for (const { at } of conditions) if (!countsEach(frame, at, stages)) return undefined;
    for (const stage of membersOf(frame, owner, stages, 'stage')) {
      for (const { code, text, written } of conditions) {
        const condition = code.at(frame);
        if (frame.failed) return undefined;
        if (condition === 1) continue;
        // R that can never run is left out: the stage keeps everything.
        if (condition === 0 && operation === 'R' && recomputes !== undefined) recomputes[stage] = false;
        else guards.push({ operation, stage, text, condition, written });
      }
    }
  }
  const preferred: (readonly RuleOperation[])[] = Array.from({ length: devices }, () => prefer);
  // An entry for one device comes before one for all of them, wherever it is written.
  for (const general of [true, false]) {
    for (const { owner, letters } of rule.prefers) {
      if ('slot' in owner !== general) continue;
      for (const device of membersOf(frame, owner, devices, 'device')) preferred[device] = letters;
    }
  }
  const limit = Array.from({ length: devices }, (_, device) => limitOf(frame, rule, device));
  const keeper = Array.from({ length: devices }, (_, device): number | 'host' => {
    frame.device = device;
    frame.keeper = undefined;
    rule.keeper?.keep(frame);
    return frame.keeper ?? 'host';
  });
  if (frame.failed) return undefined;
  return {
    prefer: preferred,
    ties: rule.ties,
    limit,
    guards,
    ...(recomputes === undefined ? {} : { recomputes }),
    ...(rule.keeper === undefined ? {} : { keeper }),
  };
}

/** Sets the parameter of an entry to each stage or device that it is for. */
function* membersOf(frame: Frame, owner: Owner, count: number, what: string): Generator<number, void> {
  if ('number' in owner) {
    const found = owner.number.at(frame);
    if (Number.isInteger(found) && found >= 0 && found < count) yield found;
    else outside(frame, owner.at, `The ${what}`, String(found), `a whole number from 0 to ${count - 1}`);
    return;
  }
  for (let member = 0; member < count && !frame.failed; member += 1) {
    frame.slots[owner.slot] = member;
    yield member;
  }
}

function limitOf(frame: Frame, { limit }: Rule, device: number): number | null {
  if (limit === undefined || frame.failed) return null;
  for (const slot of limit.compiled.slots) frame.slots[slot] = device;
  const found = limit.compiled.code.at(frame);
  if (found > 0 && Number.isFinite(found)) return found;
  const at = limit.entry.values?.[0] ?? limit.entry.key;
  outside(frame, at, '"limit"', Number.isNaN(found) ? 'not a number' : show(found, 'bytes'), 'more than 0 bytes');
  return null;
}
