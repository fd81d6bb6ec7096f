/** Reads a `schedule` of the user's own: by rule or by rows. Its expressions are evaluated later, for each pipeline that uses it. */
import type { ScheduleDefinition, ScheduleNumbers, WrittenRow } from '../definitions/schedule.ts';
import type { BlockDeclaration, Entry, Expression } from '../../grammar/syntax.ts';
import { detail, symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate, wholeNumber } from '../language/expressions.ts';
import { missing, notApplicable, or, readKeys, readWord, valueOf, type Keys } from '../language/keys.ts';
import type { OperationLetter, PlacementRule } from '../plan.ts';
import { describe, wholeRange, type Value } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import { expandRows, type Row } from './rows.ts';

/** Reads a `schedule` declaration; nothing is defined where a part of it is wrong. */
export function readSchedule(context: ReadContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const at = block.name ?? block.keyword;
  const keys = readKeys(context, 'schedule', block.body, at);
  const backward = or(readWord<'whole' | 'split'>(context, keys, 'backward'), 'whole');
  const weightsRead = or(readWord<string>(context, keys, 'weights'), 'flush');
  const placementEntry = keys.find('placement');
  const placement = placementEntry === undefined ? undefined : readPlacement(context, placementEntry);
  const body = readBody(context, keys, backward, block);
  const weightsEntry = keys.find('weights');
  const byRows = body?.kind === 'rows' && weightsRead !== 'flush';
  if (byRows && weightsEntry !== undefined)
    notApplicable(context, weightsEntry, 'rows describe one iteration; write a schedule without a flush by rule');
  const weights = byRows ? 'flush' : weightsRead;
  const placed = placementEntry === undefined || placement !== undefined;
  if (block.name === undefined || backward === undefined || weights === undefined || !placed || body === undefined)
    return;
  if (context.report.errors() !== before || keys.doubtful) return;
  const id = symbolId('schedule', block.name.text);
  const { name } = block;
  context.schedules.set(id, {
    name: name.text,
    uri: context.uri,
    split: backward === 'split',
    weights,
    placement,
    body,
  });
  detail(context, id, body.kind === 'rows' ? 'by rows' : `greedy, prefers ${body.prefer.join(', ')}`);
}

function readBody(
  context: ReadContext,
  keys: Keys,
  backward: 'whole' | 'split' | undefined,
  block: BlockDeclaration,
): ScheduleDefinition['body'] | undefined {
  const order = keys.find('order');
  const rows = keys.all('row');
  if (order !== undefined) {
    for (const row of rows) notApplicable(context, row, '`order` decides');
    const prefer = readPrefer(context, order, backward);
    if (prefer === undefined) return undefined;
    const limit = keys.find('in_flight');
    return {
      kind: 'greedy',
      prefer,
      inFlight: (numbers, report) => inFlightOf({ ...context, report }, limit, numbers),
    };
  }
  if (rows.length === 0) {
    if (!keys.doubtful) missing(context, 'schedule', 'order', block.name ?? block.keyword);
    return undefined;
  }
  for (const key of ['backward', 'in_flight'] as const) {
    const entry = keys.find(key);
    if (entry !== undefined) notApplicable(context, entry, 'the rows decide');
  }
  return readRows(context, rows);
}

/** Most microbatches in flight of each stage of a pipeline with these numbers. */
function inFlightOf(
  context: ReadContext,
  entry: Entry | undefined,
  { stages, devices, microbatches }: ScheduleNumbers,
): readonly (number | null)[] | undefined {
  const expression = entry?.values?.[0];
  if (expression === undefined) return Array.from({ length: stages }, () => null);
  const [parameter] = entry?.parameters ?? [];
  const found: number[] = [];
  for (let stage = 0; stage < stages; stage += 1) {
    const variables = new Map([
      ['stages', stages],
      ['devices', devices],
      ['microbatches', microbatches],
    ]);
    if (parameter?.kind === 'name') variables.set(parameter.text, stage);
    const most = wholeNumber(context, expression, `"in_flight" of stage ${stage}`, { min: 1, variables });
    if (most === undefined) return undefined;
    found.push(most);
  }
  return found;
}

function readRows(context: ReadContext, rows: readonly Entry[]): ScheduleDefinition['body'] | undefined {
  const byDevice = new Map<number, Row>();
  let general: Row | undefined;
  let wrong = false;
  for (const entry of rows) {
    const [parameter, second] = entry.parameters ?? [];
    if (parameter === undefined || second !== undefined) {
      context.report.report('type/mismatch', entry.key, {
        expected: 'one device, as `row(d)` or `row(0)`',
        found: String(entry.parameters?.length ?? 0),
      });
      wrong = true;
      continue;
    }
    if (parameter.kind === 'missing') {
      wrong = true;
      continue;
    }
    const items = entry.values ?? [];
    const device = parameter.kind === 'name' ? -1 : wholeNumber(context, parameter, 'The number of the device');
    if (device === undefined) {
      wrong = true;
      continue;
    }
    const earlier = device < 0 ? general : byDevice.get(device);
    if (earlier !== undefined) {
      const related = [{ place: context.report.place(earlier.entry.key), message: 'This one is used.' }];
      context.report.report(
        'key/duplicate',
        entry.key,
        { key: `row(${device < 0 ? (earlier.parameter ?? 'd') : device})`, block: 'schedule' },
        { related },
      );
    } else if (parameter.kind === 'name') general = { entry, parameter: parameter.text, items };
    else byDevice.set(device, { entry, items });
  }
  if (wrong) return undefined;
  const written = (row: Row): WrittenRow => ({
    place: context.report.place(row.entry),
    items: row.items.map((item) => context.report.place(item)),
    device: row.entry.parameters?.[0] ?? row.entry.key,
  });
  return {
    kind: 'rows',
    general: general === undefined ? undefined : written(general),
    byDevice: new Map(Array.from(byDevice, ([device, row]) => [device, written(row)])),
    expand: (numbers, report) => expandRows({ ...context, report }, { general, byDevice }, numbers),
  };
}

const letters: readonly string[] = ['F', 'B', 'I', 'W'];

function readPrefer(
  context: ReadContext,
  entry: Entry,
  backward: 'whole' | 'split' | undefined,
): readonly OperationLetter[] | undefined {
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
  const items = argument.value.kind === 'list' ? argument.value.items : [argument.value];
  const kinds: OperationLetter[] = [];
  for (const item of items) {
    if (item.kind !== 'name') {
      if (item.kind !== 'missing')
        context.report.report('type/mismatch', item, { expected: '`F`, `B`, `I` or `W`', found: 'something else' });
      return undefined;
    }
    if (!letters.includes(item.text)) return undefined;
    kinds.push(item.text as OperationLetter);
  }
  const needed = backward === 'split' ? 'FIW' : 'BF';
  if (backward === undefined || [...kinds].sort().join('') === needed) return kinds;
  context.report.report('type/mismatch', argument.value, {
    expected: `each of ${[...needed].map((name) => `\`${name}\``).join(', ')} once, since the backward is ${backward}`,
    found: `\`${kinds.join(', ')}\``,
  });
  return undefined;
}

type Placement = NonNullable<ScheduleDefinition['placement']>;

function readPlacement(context: ReadContext, entry: Entry): Placement | undefined {
  const value = valueOf(entry);
  if (value === undefined) return undefined;
  if (value.kind === 'name') return named(context, value);
  if (value.kind === 'call') {
    const { text } = value.callee;
    if (!context.links.has(value.callee) || (text !== 'loop' && text !== 'wave')) return undefined;
    const argument = bindArguments(context, value, text, [text === 'loop' ? 'v' : 'w']);
    if (argument === undefined) return undefined;
    const [first] = argument.values();
    if (first === undefined) return chunksMissing(context, value, text);
    const number = wholeNumber(context, first.value, text === 'loop' ? 'Stages of each device' : 'Waves', { min: 1 });
    if (number === undefined) return undefined;
    return { rule: text, chunks: text === 'loop' ? number : 2 * number };
  }
  const found = evaluate(context, value);
  if (found === undefined) return undefined;
  if (found.kind === 'list') return listed(context, value, found.items);
  context.report.report('type/mismatch', value, {
    expected: 'a placement such as `linear`, `loop(2)` or `[[0, 3], [1, 2]]`',
    found: describe(found),
  });
  return undefined;
}

function chunksMissing(context: ReadContext, at: Expression, rule: 'loop' | 'wave'): undefined {
  const [key, block] = rule === 'loop' ? ['v', 'loop'] : ['w', 'wave'];
  context.report.report('key/missing', at, { key, block, example: `${rule}(2)` });
  return undefined;
}

function named(context: ReadContext, name: Expression & { kind: 'name' }): Placement | undefined {
  switch (name.text) {
    case 'linear':
    case 'bidirectional':
      return { rule: name.text, chunks: 1 };
    case 'v_shape':
      return { rule: 'v_shape', chunks: 2 };
    case 'loop':
    case 'wave':
      return chunksMissing(context, name, name.text);
    default:
      return undefined;
  }
}

/** `[[0, 7], [1, 6]]`: the stages of each device. */
function listed(context: ReadContext, at: Expression, items: readonly Value[]): Placement | undefined {
  const rule: number[][] = [];
  for (const item of items) {
    const stages: number[] = [];
    for (const value of item.kind === 'list' ? item.items : [item]) {
      const range = value.kind === 'range' ? wholeRange(value) : undefined;
      if (
        value.kind === 'range' &&
        (range === undefined || range.first < 0 || range.last - range.first >= context.options.limits.elements)
      ) {
        context.report.report('type/mismatch', at, { expected: 'numbers of stages', found: 'a range' });
        return undefined;
      }
      if (range !== undefined) for (let i = range.first; i <= range.last; i += 1) stages.push(i);
      else {
        const stage = checked(
          context,
          at,
          value,
          { kind: 'quantity', dimension: 'number', integer: true, min: 0 },
          'The number of a stage',
        );
        if (stage === undefined) return undefined;
        stages.push(stage);
      }
    }
    rule.push(stages);
  }
  if (rule.length === 0) {
    context.report.report('type/mismatch', at, {
      expected: 'a list with the stages of each device',
      found: 'an empty list',
    });
    return undefined;
  }
  return { rule: rule satisfies PlacementRule, chunks: 0 };
}
