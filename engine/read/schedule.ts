/** Reads a `schedule` of the user's own: by rule or by rows. Its expressions are compiled here, and run for each pipeline that uses it. */
import type {
  DeclaredSchedule,
  GreedyBody,
  ParameterRange,
  ScheduleDefinition,
  ScheduleNumbers,
} from '../definitions/schedule.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { BlockDeclaration, Entry } from '../../grammar/syntax.ts';
import { detail, symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { missing, notApplicable, or, readKeys, readWord, valueOf, type Keys } from '../language/keys.ts';
import type { RuleOperation } from '../values/plan.ts';
import { describe } from '../language/values.ts';
import { outside } from '../sequences/frame.ts';
import { compileSchedule, type CompiledSchedule, frameOf, numberFunction } from '../sequences/schedule.ts';
import { baseName } from './base.ts';
import { bindArguments } from './arguments.ts';
import { forwardOnlyReader } from './forwardOnly.ts';
import { keepingRows, type RowsSource } from './keptRows.ts';
import { onReader } from './on.ts';
import { countReader, placementReader } from './placement.ts';
import { preferenceOf, wrongPreference } from './preference.ts';
import { readRule, ruleFor, type Rule } from './rule.ts';
import { ruleRows } from './ruleRows.ts';
import { operationUses } from './operationUses.ts';
import { type DeclaredOperation, readOperations } from './operations.ts';
import { recomputesApart } from './recomputeOfRows.ts';
import { readRows, writtenRows } from './rowEntries.ts';
import { expandRows, type Rows } from './rows.ts';
import { rowTracer, type Traced, tracedSchedule } from './rowTracer.ts';
import { readSlotBody, type SlotBody, slotBody } from './slotBody.ts';
import { forFile, readingOf } from './scheduleReading.ts';
import { scheduleText } from './scheduleBase.ts';
import { scheduleParameters } from './scheduleParameters.ts';
import { operationTimes, readTimes } from './times.ts';
import { textPart } from './textPart.ts';
import { unknownNumbers, unmetCondition } from './unmetCondition.ts';

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
  const backward = or(readWord<'whole' | 'split'>(context, keys, 'backward'), 'whole');
  const weights = or(readWord<string>(context, keys, 'weights'), 'flush');
  const on = onReader(context, compiled, keys);
  const placement = placementReader(context, compiled, on === undefined ? keys.find('placement') : undefined);
  const forwards = forwardOnlyReader(context, compiled, keys);
  const parts = partsReader(compiled, keys.find('parts'));
  const operations = readOperations(context, compiled, id, keys);
  const read = readBody(context, compiled, keys, backward, block, operations ?? []);
  if (read?.kind === 'greedy')
    for (const entry of keys.all('operation'))
      if (entry.name !== undefined && !read.prefer.includes(entry.name.text))
        notApplicable(context, entry, '`prefer` does not list it, so the rule does not run it');
  if (read?.kind === 'rows')
    for (const { on } of operations ?? []) if (on !== undefined) notApplicable(context, on.entry, 'the rows decide');
  const apart = read === undefined ? false : recomputesApart(context, compiled, keys, read.kind);
  const times = readTimes(context, compiled, keys);
  const fillEntry = keys.find('fill');
  const isStrict = read?.kind === 'slots' && (weights !== 'flush' || read.keeper !== undefined);
  if (isStrict && read.fill && fillEntry !== undefined)
    notApplicable(
      context,
      fillEntry,
      `${weights === 'flush' ? 'with E and L' : 'without a flush'}, devices work through the slots in order`,
    );
  const body = isStrict ? { ...read, fill: false } : read;
  if (block.name === undefined || backward === undefined || weights === undefined || body === undefined) return;
  if (operations === undefined || apart === 'wrong') return;
  const parameters = scheduleParameters(context, compiled);
  const { name } = block;
  const traced = tracedSchedule(reading, { name: name.text, symbol: id }, keys.entries, (quiet, again) =>
    readRows(quiet, again, keys.all('row')),
  );
  const declared: DeclaredSchedule = {
    name: name.text,
    uri: context.uri,
    parameters,
    source: textPart(file, block),
    bases: text.bases.flatMap((base) =>
      base.context.uri.startsWith('std:') ? [] : textPart(base.context, base.block),
    ),
    bind(args, reporter) {
      const report = reading.located(reporter);
      // A condition may refuse arguments that nothing could be placed with.
      const unmet = unmetCondition(context, compiled, args, unknownNumbers, report);
      const asked = unmet === undefined ? report : createReporter('', 0);
      const [placed, cut] = [placement(args, asked), parts(args, asked)];
      if (on === 'wrong' || forwards === 'wrong' || (unmet === undefined && (placed === 'wrong' || cut === 'wrong')))
        return undefined;
      const pieces = cut === 'wrong' ? 1 : cut;
      const definition: ScheduleDefinition = {
        name: name.text,
        uri: context.uri,
        split: backward === 'split',
        weights,
        placement: placed === 'wrong' ? undefined : placed,
        ...(on === undefined ? {} : { on: on(args) }),
        ...(forwards === undefined ? {} : { forwardOnly: forwards(args) }),
        body: withKeptRows(bodyWith(context, compiled, traced, body, operations, args, pieces), apart, {
          source: declared.source,
          bases: declared.bases,
          args,
          limit: context.options.limits.operations,
        }),
        parts: body.kind === 'rows' ? pieces : 1,
        args,
        values: (numbers) => parameterValues(compiled, args, numbers),
        ranges: (numbers) => parameterRanges(compiled, args, numbers),
        times: (numbers, layers, reporter) =>
          operationTimes(compiled, times ?? [], new Map(Object.entries(args)), numbers, layers, reporter),
        unmet: (numbers, reporter) => unmetCondition(context, compiled, args, numbers, reporter),
      };
      return forFile(definition, reading);
    },
  };
  // What is wrong with the defaults is wrong with the schedule.
  const sound = declared.bind({}, file.report) !== undefined;
  if (!sound || context.report.errors() !== before || keys.doubtful) return;
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

const withKeptRows = (
  body: ScheduleDefinition['body'],
  apart: boolean,
  source: RowsSource,
): ScheduleDefinition['body'] =>
  body.kind === 'rows'
    ? { ...body, expand: keepingRows(body.expand, source), ...(apart ? { apart: true } : {}) }
    : body;

/** Each part is a stage of the program. */
const mostParts = 256;

function partsReader(compiled: CompiledSchedule, entry: Entry | undefined): ReturnType<typeof countReader> {
  const value = valueOf(entry);
  if (value === undefined) return () => (entry === undefined ? 1 : 'wrong');
  return countReader(compiled, value, 'The number of parts', mostParts);
}

/** Numbers of all parameters; what is wrong with them is reported where they are used. */
function parameterValues(
  compiled: CompiledSchedule,
  args: ScheduleDefinition['args'],
  numbers: ScheduleNumbers,
): Readonly<Record<string, number>> {
  const frame = frameOf(compiled, numbers, new Map(Object.entries(args)), createReporter('', 0));
  return Object.fromEntries(compiled.parameters.map(({ name, value }) => [name, value(frame)]));
}

/** Ranges of all parameters; what is wrong with them is reported where they are used. */
function parameterRanges(
  compiled: CompiledSchedule,
  args: ScheduleDefinition['args'],
  numbers: ScheduleNumbers,
): Readonly<Record<string, ParameterRange>> {
  const frame = frameOf(compiled, numbers, new Map(Object.entries(args)), createReporter('', 0));
  return Object.fromEntries(
    compiled.parameters.map(({ name, bounds, step }) => {
      const { min, max } = bounds?.(frame) ?? { min: NaN, max: NaN };
      return [name, { min, max, step: step?.(frame) ?? NaN }];
    }),
  );
}

type ChosenNumbers = Parameters<NonNullable<GreedyBody['operations']>>[0];

/** What a schedule says of the order, before it knows its arguments. */
type Body =
  | {
      readonly kind: 'greedy';
      readonly prefer: readonly RuleOperation[];
      readonly inFlight: Limit;
      readonly rule: Rule | 'none';
    }
  | { readonly kind: 'rows'; readonly rows: Rows }
  | SlotBody;

/** `in_flight(s)`; `undefined` where there is no limit. */
type Limit = { readonly entry: Entry; readonly compiled: NonNullable<ReturnType<typeof numberFunction>> } | undefined;

function bodyWith(
  context: ReadContext,
  compiled: CompiledSchedule,
  traced: () => Traced,
  body: Body,
  declared: readonly DeclaredOperation[],
  args: ScheduleDefinition['args'],
  parts: number,
): ScheduleDefinition['body'] {
  const given = new Map(Object.entries(args));
  const chosen = body.kind === 'greedy' ? declared.filter(({ name }) => body.prefer.includes(name)) : [];
  if (body.kind === 'greedy')
    return {
      kind: 'greedy',
      prefer: body.prefer,
      inFlight: (numbers, report) => inFlightOf(compiled, body.inFlight, given, numbers, report),
      written: body.rule === 'none' ? [] : body.rule.written,
      rule: (numbers, report) =>
        body.rule === 'none' ? null : ruleFor(compiled, body.rule, body.prefer, given, numbers, report),
      ...(chosen.length === 0
        ? {}
        : {
            operations(numbers: ChosenNumbers, report: Reporter) {
              const frame = frameOf(compiled, numbers, given, report);
              const rows = ruleRows(frame, chosen, numbers);
              const used = rows && operationUses(frame, declared, rows, numbers, 'rule');
              return rows && used && { rows, used };
            },
          }),
    };
  if (body.kind === 'slots') return slotBody(context, compiled, traced, body, declared, given);
  return {
    kind: 'rows',
    ...writtenRows(context, body.rows, (numbers) => frameOf(compiled, numbers, given, createReporter('', 0))),
    expand(numbers, report) {
      const frame = frameOf(compiled, numbers, given, report);
      frame.parts = parts;
      return expandRows(frame, body.rows, numbers);
    },
    trace: (numbers) => rowTracer(traced, given, parts, context.uri, numbers),
    ...(declared.length === 0
      ? {}
      : {
          operations(numbers, rows, report) {
            const frame = frameOf(compiled, numbers, given, report);
            frame.parts = parts;
            return operationUses(frame, declared, rows, numbers);
          },
        }),
  };
}

function readBody(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  backward: 'whole' | 'split' | undefined,
  block: BlockDeclaration,
  operations: readonly DeclaredOperation[],
): Body | undefined {
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

/** Most microbatches in flight of each stage of a pipeline with these numbers. */
function inFlightOf(
  compiled: CompiledSchedule,
  limit: Limit,
  args: ReadonlyMap<string, number>,
  numbers: ScheduleNumbers,
  report: Reporter,
): ReturnType<GreedyBody['inFlight']> {
  const { stages } = numbers;
  if (limit === undefined) return Array.from({ length: stages }, () => null);
  const frame = frameOf(compiled, numbers, args, report);
  const { code, slots } = limit.compiled;
  const found: number[] = [];
  for (let stage = 0; stage < stages; stage += 1) {
    for (const slot of slots) frame.slots[slot] = stage;
    const most = code.at(frame);
    if (!(Number.isSafeInteger(most) && most >= 1))
      outside(
        frame,
        limit.entry.values?.[0] ?? limit.entry.key,
        `"in_flight" of stage ${stage}`,
        String(most),
        'a whole number of at least 1',
      );
    if (frame.failed) return undefined;
    found.push(most);
  }
  return found;
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
