/** A schedule and its test from their texts alone, as another thread gets them. */
import type { DeclaredSchedule } from '../definitions/schedule.ts';
import type { ScheduleTest, TextPart } from '../definitions/scheduleTest.ts';
import { createReporter } from '../findings/reporter.ts';
import { parse } from '../../grammar/parse.ts';
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import type { EngineHost } from '../host.ts';
import { symbolId } from '../language/context.ts';
import { declareAll } from '../language/declare.ts';
import { foreignFiles } from '../language/foreign.ts';
import { linkFile } from '../language/linking.ts';
import { measure } from '../language/values.ts';
import type { Place } from '../plan.ts';
import { createReadContext, type ReadContext, takeDefinitions } from '../read/context.ts';
import { readSchedule } from '../read/schedule.ts';
import { readTest, type TestDefinition } from '../read/scheduleTest.ts';
import { toEnd } from '../steps.ts';

export interface Declared {
  readonly schedule: DeclaredSchedule;
  readonly test: TestDefinition;
  /** Findings of the test itself go here: comparisons that are wrong for a shape. */
  readonly context: ReadContext;
  /** The place in its file of a place in one of the texts. */
  readonly place: (part: 'schedule' | 'expect', place: Pick<Place, 'start' | 'end'>) => Place;
}

const noFiles: EngineHost = { resolve: (path) => path, read: () => ({ problem: 'not-found' }) };

/** `undefined` only if the texts have errors; then they have been reported where they were read first. */
export function declaredFrom(request: ScheduleTest): Declared | undefined {
  const { name, schedule, expect, options } = request;
  const first = contextOf(schedule, options, () => {});
  for (const block of blocksOf(first)) readSchedule(first, block);
  const id = symbolId('schedule', name);
  const declared = first.schedules.get(id);
  const second = contextOf(expect, options, (context) => {
    const info = first.symbols.get(id);
    if (info !== undefined) context.names.set(name, info);
    const members = first.members.get(id);
    if (members !== undefined) context.members.set(id, members);
    for (const member of members?.values() ?? []) context.symbols.set(member.id, member);
    takeDefinitions(context, first, id);
  });
  const [block] = blocksOf(second);
  const test = declared === undefined || block === undefined ? undefined : readTest(second, block, declared);
  if (declared === undefined || test === undefined) return undefined;
  const place: Declared['place'] = (part, { start, end }) => {
    const { uri, start: from } = request[part];
    const by = from - headOf(request[part]).length;
    return { uri, start: start + by, end: end + by };
  };
  return { schedule: declared, test, context: second, place };
}

/** Names that the text uses, as declarations in front of it. */
const headOf = ({ constants }: TextPart): string =>
  Object.keys(constants)
    .map((name) => `let ${name} = 0\n`)
    .join('');

function contextOf(
  part: TextPart,
  options: ScheduleTest['options'],
  bring: (context: ReadContext) => void,
): ReadContext {
  const syntax = parse(headOf(part) + part.text, { size: options.limits.fileSize, faults: options.limits.findings });
  const report = createReporter(part.uri, options.limits.findings);
  const context = createReadContext(part.uri, syntax, options, report, foreignFiles(noFiles, options));
  declareAll(context, () => undefined);
  bring(context);
  toEnd(linkFile(context));
  for (const [name, { value, dimension }] of Object.entries(part.constants))
    context.values.set(symbolId('let', name), measure(value, dimension));
  return context;
}

const blocksOf = ({ syntax }: ReadContext): readonly BlockDeclaration[] =>
  syntax.declarations.filter((declaration): declaration is BlockDeclaration => declaration.kind === 'block');
