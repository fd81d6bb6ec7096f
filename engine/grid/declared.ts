/** A schedule and its test from their texts alone, as another thread gets them. */
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { ScheduleTest, TextPart } from '../definitions/scheduleTest.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import { parse } from '../../grammar/parse.ts';
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import type { EngineHost } from '../basics/host.ts';
import { symbolId } from '../language/context.ts';
import { declareAll } from '../language/declare.ts';
import { foreignFiles } from '../language/foreign.ts';
import { linkFile } from '../language/linking.ts';
import { measure } from '../language/values.ts';
import { createReadContext, type ReadContext, takeDefinitions } from '../read/context.ts';
import { adoptMembers } from '../read/scheduleBase.ts';
import { readSchedule } from '../read/schedule.ts';
import { readTest, type TestDefinition } from '../read/scheduleTest.ts';
import { toEnd } from '../basics/steps.ts';

export interface Declared {
  readonly schedule: DeclaredSchedule;
  readonly test: TestDefinition;
  /** Findings of the test itself go here: comparisons that are wrong for a shape. */
  readonly context: ReadContext;
}

const noFiles: EngineHost = { resolve: (path) => path, read: () => ({ problem: 'not-found' }) };

/** `undefined` only if the texts have errors; then they have been reported where they were read first. */
export function declaredFrom(request: ScheduleTest): Declared | undefined {
  const { name, schedule, bases, expect, options } = request;
  let known: ReadContext | undefined;
  for (const part of [...bases.toReversed(), schedule]) {
    const from = known;
    known = contextOf(part, options, (context) => bring(context, from));
    for (const block of blocksOf(known)) readSchedule(known, block);
  }
  const declared = known?.schedules.get(symbolId('schedule', name));
  const second = contextOf(expect, options, (context) => bring(context, known));
  const [block] = blocksOf(second);
  const test = declared === undefined || block === undefined ? undefined : readTest(second, block, declared);
  if (declared === undefined || test === undefined) return undefined;
  return { schedule: declared, test, context: second };
}

/** The schedule that was read last, for a text that names it. */
function bring(context: ReadContext, from: ReadContext | undefined): void {
  for (const block of from === undefined ? [] : blocksOf(from)) {
    const id = symbolId('schedule', block.name?.text ?? '');
    const info = from?.symbols.get(id);
    if (from === undefined || info === undefined) continue;
    context.names.set(info.name, info);
    const members = from.members.get(id);
    if (members !== undefined) context.members.set(id, members);
    for (const member of members?.values() ?? []) context.symbols.set(member.id, member);
    takeDefinitions(context, from, id);
  }
}

/** A reporter whose places are those in the file that the text is from. */
function reporterOf(part: TextPart, limit: number): Reporter {
  const by = part.start - headOf(part).length;
  return createReporter(part.uri, limit, ({ start, end }) => ({
    uri: part.uri,
    start: start + by,
    end: Math.max(start, end) + by,
  }));
}

/** Names that the text uses, as declarations in front of it. */
const headOf = ({ constants }: TextPart): string =>
  Object.keys(constants)
    .map((name) => `let ${name} = 0\n`)
    .join('');

function contextOf(
  part: TextPart,
  options: ScheduleTest['options'],
  take: (context: ReadContext) => void,
): ReadContext {
  const syntax = parse(headOf(part) + part.text, { size: options.limits.fileSize, faults: options.limits.findings });
  const report = reporterOf(part, options.limits.findings);
  const context = createReadContext(part.uri, syntax, options, report, foreignFiles(noFiles, options));
  declareAll(context, () => undefined);
  take(context);
  adoptMembers(context, blocksOf(context));
  toEnd(linkFile(context));
  for (const [name, { value, dimension }] of Object.entries(part.constants))
    context.values.set(symbolId('let', name), measure(value, dimension));
  return context;
}

const blocksOf = ({ syntax }: ReadContext): readonly BlockDeclaration[] =>
  syntax.declarations.filter((declaration): declaration is BlockDeclaration => declaration.kind === 'block');
