/** `from = zb_h1` of a schedule: the schedule that it takes over, its names, and what is left of it. */
import { createReporter } from '../findings/reporter.ts';
import { parse } from '../../grammar/parse.ts';
import type { BlockDeclaration, Entry, Name, Span } from '../../grammar/syntax.ts';
import { readCallee } from '../language/callee.ts';
import { symbolId } from '../language/context.ts';
import { declareAll, memberId } from '../language/declare.ts';
import { foreignFiles } from '../language/foreign.ts';
import { type Keys, readKeys, valueOf } from '../language/keys.ts';
import { linkFile } from '../language/linking.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import { baseSymbol } from '../sequences/baseRow.ts';
import { findPolicy } from '../policies/registry.ts';
import { scheduleUri, standardText } from '../std/index.ts';
import { toEnd } from '../basics/steps.ts';
import { bindArguments } from './arguments.ts';
import { baseName, fromOf, orderByBase, ungrouped } from './base.ts';
import { createReadContext, type ReadContext } from './context.ts';
import { type Origin, type ScheduleText, takenOver } from './scheduleText.ts';

/** Most schedules that one takes over, directly and through others. */
const mostBases = 64;

/** Declares the names that schedules take over from others. Names of the file and its imports must be there. */
export function adoptMembers(context: ReadContext, blocks: readonly BlockDeclaration[]): void {
  if (!blocks.some((block) => fromOf(block) !== undefined)) return;
  const { order, circles } = orderByBase(context, blocks, 'schedule');
  for (const index of order) {
    const block = blocks[index];
    if (block.name === undefined || fromOf(block) === undefined) continue;
    const owner = symbolId('schedule', block.name.text);
    const inherited = membersOfBase(context, block);
    if (inherited === undefined) context.open.add(owner);
    else adopt(context, owner, inherited);
  }
  for (const { name } of circles.flat().map((index) => blocks[index]))
    if (name !== undefined) context.open.add(symbolId('schedule', name.text));
}

/** Names that the base declares; `undefined` if they are not known. */
function membersOfBase(context: ReadContext, block: BlockDeclaration): ReadonlyMap<string, SymbolInfo> | undefined {
  const base = baseName(block);
  const info = context.names.get(base?.text ?? '');
  if (base === undefined || (info !== undefined && info.kind !== 'schedule')) return undefined;
  if (info !== undefined) return context.open.has(info.id) ? undefined : context.members.get(info.id);
  const standard = standardSchedule(base.text, context);
  if (standard !== undefined) return standard.origins[0].context.members.get(standard.origins[0].symbol);
  return findPolicy(base.text) === undefined ? undefined : new Map();
}

function adopt(context: ReadContext, owner: string, inherited: ReadonlyMap<string, SymbolInfo>): void {
  const members = new Map(context.members.get(owner));
  for (const [name, info] of inherited) {
    // What it stands for there: rows of another schedule.
    if (info.id.startsWith(baseSymbol)) continue;
    const replacing = members.get(name);
    // What replaces a name is used where that name is.
    const taken: SymbolInfo =
      replacing === undefined
        ? { ...info, id: memberId(info.kind, owner, name), container: owner, inherits: info.id }
        : { ...replacing, inherits: info.id, replaces: info.replaces ?? info.declaration };
    if (replacing !== undefined) context.used.add(replacing.id);
    members.set(name, taken);
    context.symbols.set(taken.id, taken);
  }
  if (!members.has('base')) members.set('base', baseInfo(context, owner));
  context.members.set(owner, members);
}

/** `base(d)`, unless the schedule or its base declares the name. */
function baseInfo(context: ReadContext, owner: string): SymbolInfo {
  const info: SymbolInfo = {
    id: `${baseSymbol}${owner}`,
    name: 'base',
    kind: 'let',
    container: owner,
    parameters: ['d'],
    detail: '(d), operations',
    doc: 'The row that the schedule taken over has for device d. Only in rows.',
  };
  context.symbols.set(info.id, info);
  return info;
}

/** What a schedule says with what it takes over; `undefined` where its base is wrong, which has been or will be reported. */
export function scheduleText(context: ReadContext, block: BlockDeclaration, keys: Keys): ScheduleText | undefined {
  const origin: Origin = { context, block, symbol: symbolId('schedule', block.name?.text ?? '') };
  const from = keys.find('from');
  const entries = keys.entries.filter((entry) => entry !== from);
  if (from === undefined)
    return { entries: entries.map((entry) => ({ origin, entry })), origins: [origin], bases: [], baseRows: new Map() };
  const value = ungrouped(valueOf(from));
  const name = value === undefined ? undefined : readCallee(context, value, 'a schedule such as `zb_h1`');
  const base = name === undefined ? undefined : baseText(context, name);
  if (value === undefined || name === undefined || base === undefined) return undefined;
  const parameters = parametersOf(base);
  const bound =
    value.kind === 'call'
      ? bindArguments(context, value, name.text, parameters, onlyBuiltIn(context, name))
      : new Map<string, never>();
  if (bound === undefined) return undefined;
  const values = new Map([...bound].map(([parameter, argument]) => [parameter, argument.value]));
  const text = takenOver(origin, entries, base, values);
  if (text.bases.length <= mostBases) return text;
  context.report.report('type/mismatch', value, {
    expected: `a schedule that takes over fewer than ${mostBases} others, directly and through them`,
    found: `one that takes over ${base.bases.length}`,
  });
  return undefined;
}

function baseText(context: ReadContext, name: Name): ScheduleText | undefined {
  const info = context.names.get(name.text);
  if (info !== undefined) return context.scheduleTexts.get(info.id);
  const found = standardSchedule(name.text, context);
  const policy = found === undefined ? findPolicy(name.text) : undefined;
  if (policy !== undefined) {
    const rows = `use \`${name.text}\` in a pipeline, then \`pipewright export --to torch-csv\` and \`pipewright import\``;
    context.report.report('type/mismatch', name, {
      expected: `a schedule with a text${policy.loading === undefined ? `; to get the order of one shape as rows, ${rows}` : ''}`,
      found: `\`${name.text}\`, which searches for its order`,
    });
  }
  return found;
}

/** Built-in schedules with a parameter that their text lacks, and the text that has the same order. */
const textOfCall: ReadonlyMap<string, string> = new Map([['dapple(policy=b)', 'eager_1f1b']]);

/** What to write for a parameter that a built-in schedule has and its text lacks: a word, or a list. */
const onlyBuiltIn =
  ({ names, syntax }: ReadContext, { text }: Name) =>
  (parameter: string, { start, end }: Span): string | undefined => {
    const known = names.has(text) ? undefined : findPolicy(text)?.parameters.find(({ name }) => name === parameter);
    if (known === undefined) return undefined;
    const call = `${text}(${syntax.text.slice(start, end)})`;
    const same = textOfCall.get(call.replaceAll(/\s/g, ''));
    if (same !== undefined) return `Write "from = ${same}", which is ${call}.`;
    return `The text of ${text}, which \`from\` takes over, leaves out this parameter; a pipeline can give it to the built-in, as "schedule = ${call}".`;
  };

const parametersOf = ({ entries }: ScheduleText): readonly string[] =>
  entries.flatMap(({ entry: { key, name } }: { entry: Entry }) =>
    key.text === 'param' && name !== undefined ? [name.text] : [],
  );

const standard = new Map<string, ScheduleText | undefined>();

/** The text of a built-in schedule, read once; `undefined` if there is none. Its files are ours, and a test reads all of them. */
function standardSchedule(name: string, { options }: Pick<ReadContext, 'options'>): ScheduleText | undefined {
  if (standard.has(name)) return standard.get(name);
  const uri = scheduleUri(name);
  const text = uri === undefined ? undefined : standardText(uri);
  if (uri === undefined || text === undefined) return undefined;
  const syntax = parse(text);
  const noFiles = foreignFiles({ resolve: (path) => path, read: () => ({ problem: 'not-found' }) }, options);
  const context = createReadContext(uri, syntax, options, createReporter(uri, 10), noFiles);
  declareAll(context, () => undefined);
  const blocks = syntax.declarations.filter((declaration) => declaration.kind === 'block');
  adoptMembers(context, blocks);
  toEnd(linkFile(context));
  const block = blocks.find((declaration) => declaration.name?.text === name);
  const found =
    block === undefined
      ? undefined
      : scheduleText(context, block, readKeys(context, 'schedule', block.body, block.keyword));
  standard.set(name, found);
  return found;
}
