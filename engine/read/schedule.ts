/** Reads a `schedule` of the user's own: by rule or by rows. Its expressions are compiled here, and run for each pipeline that uses it. */
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { BlockDeclaration, Entry } from '../../grammar/syntax.ts';
import { detail, symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { missing, notApplicable, readKeys, valueOf, type Keys, wordOrDefault } from '../language/keys.ts';
import type { RuleOperation } from '../values/plan.ts';
import { describe } from '../language/values.ts';
import { compileSchedule, type CompiledSchedule, numberFunction } from '../sequences/schedule.ts';
import { baseName } from './base.ts';
import { bindArguments } from './arguments.ts';
import type { ReadSchedule } from './boundSchedule.ts';
import { readForwardOnly } from './forwardOnly.ts';
import { readOn } from './on.ts';
import { type CountReader, countReader, placementReader } from './placement.ts';
import { preferenceOf, wrongPreference } from './preference.ts';
import { readRule } from './rule.ts';
import { type DeclaredOperation, readOperations } from './operations.ts';
import { recomputesApart } from './recomputeOfRows.ts';
import { readRows } from './rowEntries.ts';
import { tracedSchedule } from './rowTracer.ts';
import { readSlotBody } from './slotBody.ts';
import { scheduleEvaluator } from './scheduleEvaluator.ts';
import { readingOf } from './scheduleReading.ts';
import { scheduleText } from './scheduleBase.ts';
import { scheduleParameters } from './scheduleParameters.ts';
import { readTimes } from './times.ts';
import { textPart } from './textPart.ts';

/** Reads a `schedule` declaration; nothing is defined where a part of it is wrong. */
export function readSchedule(file: ReadContext, block: BlockDeclaration): void {
  const before = file.report.errors();
  const at = block.name ?? block.keyword;
  const written = readKeys(file, 'schedule', block.body, at);
  const id = symbolId('schedule', block.name?.text ?? '');
  const text = scheduleText(file, block, written);
  if (text === undefined || file.unsound.has(id)) return;
  const reading = readingOf(file, block, written, text);
  const { context, keys, baseRows } = reading;
  const compiled = compileSchedule(context, { name: block.name?.text ?? '', symbol: id, baseRows }, keys.entries);
  const backward = wordOrDefault<'whole' | 'split'>(context, keys, 'backward');
  const weights = wordOrDefault<string>(context, keys, 'weights');
  const on = readOn(context, compiled, keys);
  const placement = placementReader(context, compiled, on === undefined ? keys.find('placement') : undefined);
  const forwardOnly = readForwardOnly(context, compiled, keys);
  const parts = partsReader(compiled, keys.find('parts'));
  const operations = readOperations(context, compiled, id, keys);
  const order = readBody(context, compiled, keys, backward, block, operations ?? []);
  if (order?.kind === 'greedy')
    for (const entry of keys.all('operation'))
      if (entry.name !== undefined && !order.prefer.includes(entry.name.text))
        notApplicable(context, entry, '`prefer` does not list it, so the rule does not run it');
  if (order?.kind === 'rows')
    for (const { on } of operations ?? []) if (on !== undefined) notApplicable(context, on.entry, 'the rows decide');
  const apart = order === undefined ? false : recomputesApart(context, compiled, keys, order.kind);
  const times = readTimes(context, compiled, keys);
  const fillEntry = keys.find('fill');
  const isStrict = order?.kind === 'slots' && (weights !== 'flush' || order.keeper !== undefined);
  if (isStrict && order.fill && fillEntry !== undefined)
    notApplicable(
      context,
      fillEntry,
      `${weights === 'flush' ? 'with E and L' : 'without a flush'}, devices work through the slots in order`,
    );
  const body = isStrict ? { ...order, fill: false } : order;
  if (block.name === undefined || backward === undefined || weights === undefined || body === undefined) return;
  if (operations === undefined || apart === 'wrong') return;
  const parameters = scheduleParameters(context, compiled);
  const { name } = block;
  const traced = tracedSchedule(reading, { name: name.text, symbol: id }, keys.entries, (quiet, again) =>
    readRows(quiet, again, keys.all('row')),
  );
  const read: ReadSchedule = {
    ...reading,
    compiled,
    split: backward === 'split',
    weights,
    placement,
    parts,
    on: on === 'wrong' ? undefined : on,
    forwardOnly: forwardOnly === 'wrong' ? undefined : forwardOnly,
    times: times ?? [],
    operations,
    body,
    apart,
    traced,
  };
  const declared: DeclaredSchedule = {
    name: name.text,
    uri: context.uri,
    parameters,
    source: textPart(file, block),
    bases: text.bases.flatMap((base) =>
      base.context.uri.startsWith('std:') ? [] : textPart(base.context, base.block),
    ),
    code: read,
  };
  // What is wrong with the defaults is wrong with the schedule.
  const defaults = scheduleEvaluator.bind(declared, {});
  for (const found of defaults.findings) file.report.add(found);
  if (defaults.value === undefined || on === 'wrong' || forwardOnly === 'wrong') return;
  if (context.report.errors() !== before || keys.doubtful) return;
  context.schedules.set(id, declared);
  context.scheduleTexts.set(id, text);
  const base = baseName(block);
  const taken = base === undefined ? '' : `from ${base.text}, `;
  const given =
    parameters.length === 0 ? '' : `(${parameters.map((each) => `${each.name} = ${each.default}`).join(', ')}) `;
  detail(
    context,
    id,
    `${given}${taken}${body.kind !== 'greedy' ? `by ${body.kind}` : `greedy, prefers ${body.prefer.join(', ')}`}`,
  );
}

/** Each part is a stage of the program. */
const mostParts = 256;

function partsReader(compiled: CompiledSchedule, entry: Entry | undefined): CountReader {
  const value = valueOf(entry);
  if (value === undefined) return () => (entry === undefined ? 1 : 'wrong');
  return countReader(compiled, value, 'The number of parts', mostParts);
}

function readBody(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  backward: 'whole' | 'split' | undefined,
  block: BlockDeclaration,
  operations: readonly DeclaredOperation[],
): ReadSchedule['body'] | undefined {
  const order = keys.find('order');
  const rows = keys.all('row');
  const slots = keys.all('slot');
  for (const key of ['period', 'fill'] as const) {
    const entry = keys.find(key);
    if (entry !== undefined && (slots.length === 0 || order !== undefined))
      notApplicable(context, entry, 'the schedule has no slots');
  }
  if (order === undefined && slots.length > 0) return readSlotBody(context, compiled, keys, operations);
  if (order !== undefined) {
    for (const slot of slots) notApplicable(context, slot, '`order` decides');
    for (const row of rows) notApplicable(context, row, whyNoRow(row));
    const parts = keys.find('parts');
    if (parts !== undefined) notApplicable(context, parts, 'a rule runs whole microbatches');
    const prefer = readPrefer(context, order, backward);
    const entry = keys.find('in_flight');
    const limit = entry === undefined ? undefined : numberFunction(compiled.names, entry);
    const rule = prefer === undefined ? undefined : readRule(context, compiled, keys, prefer);
    const limitEntry = keys.find('limit');
    const sender = operations.find(({ name, sends }) => sends !== undefined && prefer?.includes(name) === true);
    if (limitEntry !== undefined && sender !== undefined) {
      context.report.report('type/mismatch', limitEntry.key, {
        expected: 'operations that send nothing: a limit does not include messages',
        found: `"${sender.name}", which sends`,
      });
      return undefined;
    }
    if (prefer === undefined || rule === undefined || (entry !== undefined && limit === undefined)) return undefined;
    return {
      kind: 'greedy',
      prefer,
      rule,
      inFlight: entry === undefined || limit === undefined ? undefined : { entry, compiled: limit },
    };
  }
  if (rows.length === 0) {
    if (!keys.doubtful) missing(context, 'schedule', 'order', block.name ?? block.keyword);
    return undefined;
  }
  for (const key of ['backward', 'in_flight', 'allow', 'prefer', 'ties', 'limit'] as const) {
    for (const entry of keys.all(key)) notApplicable(context, entry, 'the rows decide');
  }
  const read = readRows(context, compiled, rows);
  return read === undefined ? undefined : { kind: 'rows', rows: read };
}

/** A rule orders all devices as they run, so none of them has a row. */
function whyNoRow({ parameters: [device] = [] }: Entry): string {
  if (device?.kind === 'name') return '`order` decides';
  return '`order` decides for all devices while they run; write `prefer(0) = …` or `allow(F, s) = …` to change one device, or `row(d)` for all of them';
}

function readPrefer(
  context: ReadContext,
  entry: Entry,
  backward: 'whole' | 'split' | undefined,
): readonly RuleOperation[] | undefined {
  const value = valueOf(entry);
  if (value === undefined) return undefined;
  if (value.kind !== 'call' || value.callee.text !== 'greedy') {
    if (value.kind !== 'call') {
      const found =
        value.kind === 'name' && context.links.get(value)?.startsWith('function:')
          ? undefined
          : evaluate(context, value);
      if (found !== undefined || (value.kind === 'name' && context.links.has(value))) {
        context.report.report('type/mismatch', value, {
          expected: '`greedy(prefer = [B, F])`',
          found: found === undefined ? 'no preference' : describe(found),
        });
      }
    }
    return undefined;
  }
  const argument = bindArguments(context, value, 'greedy', ['prefer'])?.get('prefer');
  if (argument === undefined) {
    if (value.arguments.length === 0)
      context.report.report('key/missing', value, { key: 'prefer', block: 'greedy', example: 'prefer = [B, F]' });
    return undefined;
  }
  const kinds = preferenceOf(context, argument.value);
  if (kinds === undefined) return undefined;
  const expected = backward === undefined ? undefined : wrongPreference(kinds, backward);
  if (expected === undefined) return kinds;
  context.report.report('type/mismatch', argument.value, {
    expected,
    found: `\`${kinds.join(', ')}\``,
  });
  return undefined;
}
