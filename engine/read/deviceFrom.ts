/** `from` of a device: another device, or `system("a100_80g.json")`, whose entries are read as if they were in the block. */
import { parse } from '../../grammar/parse.ts';
import type { Block, BlockDeclaration, Call, Entry, Expression } from '../../grammar/syntax.ts';
import { readSystem } from '../formats/system.ts';
import { deviceText } from '../formats/system/toPipe.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { valueOf } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { symbolId } from '../language/context.ts';
import type { DeviceDefinition } from '../definitions/device.ts';
import { nameIn } from './base.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';

/** What a block says, and the device that it starts from. */
interface DeviceBody {
  readonly body: Block | undefined;
  readonly base?: DeviceDefinition;
}

/**
 * The block with the additional entries of its `from`, or with the device that `from` names. An entry of the block replaces all entries of its key in the file; one
 * with parentheses, `compute(fp8) = …`, replaces only that entry. If the file or the device is wrong, which is reported, the block
 * is treated as not closed: what it lacks is no second mistake.
 */
export function deviceBody(context: ReadContext, { body }: BlockDeclaration): DeviceBody {
  const entries = (body?.entries ?? []).filter((entry): entry is Entry => entry.kind === 'entry');
  const from = entries.find((entry) => entry.key.text === 'from');
  if (body === undefined || from === undefined) return { body };
  const value = valueOf(from);
  const base = context.devices.get(symbolId('device', nameIn(value)?.text ?? ''));
  if (base !== undefined) return { body, base };
  const given = value === undefined ? undefined : entriesOf(context, value);
  if (given === undefined) return { body: { ...body, closed: false } };
  const written = new Set(entries.map((entry) => spelled(context, entry)));
  const more = given.filter(({ entry, parameters }) => {
    const key = entry.key.text;
    return !written.has(key) && !written.has(`${key}(${parameters})`);
  });
  return { body: { ...body, entries: [...body.entries, ...more.map((each) => each.entry)] } };
}

/** An entry of the file, placed where `from` has its value, and what it has in its parentheses. */
interface Given {
  readonly entry: Entry;
  readonly parameters: string;
}

function entriesOf(context: ReadContext, value: Expression): readonly Given[] | undefined {
  if (value.kind === 'group') return entriesOf(context, value.inner);
  if (value.kind === 'call') return value.callee.text === 'system' ? readEntries(context, value) : undefined;
  // A name that is no device has been reported where names are linked, and a device that is wrong where it is read.
  const bare = value.kind === 'name';
  const found = bare ? undefined : evaluate(context, value);
  if (bare ? value.text === 'system' && !context.names.has(value.text) : found !== undefined)
    context.report.report('type/mismatch', value, {
      expected: 'the name of a device or `system("FILE")`',
      found: found === undefined ? '`system` without a file' : describe(found),
    });
  return undefined;
}

function readEntries(context: ReadContext, call: Call): readonly Given[] | undefined {
  const file = readSourceFile(context, call);
  if (file === undefined) return undefined;
  const read = readSystem(file.text);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  const text = deviceText(read);
  const [block] = parse(text, { size: text.length + 1 }).declarations;
  const entries = block.kind === 'block' ? (block.body?.entries ?? []) : [];
  context.derived.push({
    offset: call.end,
    text: ` ${read.format}`,
    tooltip: ['```pipe', text.trimEnd(), '```', ...read.remarks].join('\n'),
  });
  const { start, end, first, last } = call;
  return entries.flatMap((entry) =>
    entry.kind === 'entry'
      ? [{ entry: moved(entry, { start, end, first, last }), parameters: parametersOf(text, entry) }]
      : [],
  );
}

/** `compute`, `compute(fp8)`. */
const spelled = (context: ReadContext, entry: Entry): string =>
  entry.parameters === undefined ? entry.key.text : `${entry.key.text}(${parametersOf(context.syntax.text, entry)})`;

const parametersOf = (text: string, { parameters = [] }: Entry): string =>
  parameters.map((parameter) => text.slice(parameter.start, parameter.end)).join(', ');

type Position = Pick<Entry, 'start' | 'end' | 'first' | 'last'>;

/** A tree with all of its places replaced: what is found wrong in it, or leads to it, is at the call. */
function moved<T>(tree: T, at: Position): T {
  if (Array.isArray(tree)) return tree.map((item: unknown) => moved(item, at)) as T;
  if (typeof tree !== 'object' || tree === null) return tree;
  const parts = Object.entries(tree).map(([name, value]) => [name, moved(value, at)] as const);
  return { ...Object.fromEntries(parts), ...('start' in tree ? at : {}) } as T;
}
