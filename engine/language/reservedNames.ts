/** Names that mean something in every schedule: one table for the linker, completion and documentation. */
import type { Block } from '../../grammar/syntax.ts';
import { functions } from './functions.ts';
import { functionContext, operations, type FunctionContext, type Word } from './kinds.ts';
import { declaredIn, keysOf, type BlockName } from './schema.ts';

/** Counts of the pipeline that uses a schedule. Each has its place as its slot in a frame. */
export const scheduleNumbers = [
  { name: 'stages', doc: 'Number of stages of the pipeline, counting each chunk of a device.' },
  { name: 'devices', doc: 'Number of pipeline ranks.' },
  { name: 'microbatches', doc: 'Microbatches of one iteration.' },
  { name: 'iterations', doc: 'Consecutive iterations of an asynchronous schedule; 1 of a synchronous one.' },
] as const satisfies readonly Word[];

/** What a reserved name is. */
export type ReservedKind = 'number' | 'operation' | 'function';

export interface ReservedName extends Word {
  readonly is: ReservedKind;
  /** The kind of value that may call a function; absent for what is known in the whole schedule. */
  readonly only?: FunctionContext;
}

/** Functions of numbers and of operations are known everywhere in a schedule. */
const everywhere: readonly FunctionContext[] = ['value', 'operations'];

const ofFunctions = (contexts: readonly FunctionContext[], anywhere: boolean): readonly ReservedName[] =>
  functions
    .filter(({ context }) => contexts.includes(context))
    // `if` chooses between numbers, and between operations.
    .filter(({ name }, at, all) => !anywhere || all.findIndex((each) => each.name === name) === at)
    .map(({ name, doc, context }) => ({ name, doc, is: 'function', ...(anywhere ? {} : { only: context }) }));

/** Of the keys of a schedule and its operations: contexts that have functions which other keys do not know. */
const contextsOfKeys = new Set(
  (['schedule', 'operation'] as const)
    .flatMap((block) => [...keysOf(block).values()])
    // A key such as `from` names a declaration of the file, which is no name in the schedule.
    .filter(({ value }) => declaredIn(value) === undefined)
    .map(({ value }) => functionContext(value))
    .filter((context) => !everywhere.includes(context)),
);

/** All of them; a function of some keys is reserved only in a schedule that writes such a key. */
export const reservedNames: readonly ReservedName[] = [
  ...scheduleNumbers.map((word): ReservedName => ({ ...word, is: 'number' })),
  ...operations.names.map((word): ReservedName => ({ ...word, is: 'operation' })),
  ...ofFunctions(everywhere, true),
  ...ofFunctions([...contextsOfKeys], false),
];

const always = new Map(
  reservedNames.filter(({ only }) => only === undefined).map((reserved) => [reserved.name, reserved]),
);

/** What a name means everywhere in a schedule. */
export const reservedEverywhere = (name: string): ReservedName | undefined => always.get(name);

/** What a name means in a schedule with these entries. */
export function reservedIn(body: Block | undefined): (name: string) => ReservedName | undefined {
  const contexts = new Set<FunctionContext>();
  collect('schedule', body, contexts);
  const some = new Map(
    reservedNames
      .filter(({ only }) => only !== undefined && contexts.has(only))
      .map((reserved) => [reserved.name, reserved]),
  );
  return (name) => always.get(name) ?? some.get(name);
}

function collect(block: BlockName, body: Block | undefined, contexts: Set<FunctionContext>): void {
  const keys = keysOf(block);
  for (const item of body?.entries ?? []) {
    const key = item.kind === 'entry' ? keys.get(item.key.text) : undefined;
    if (key === undefined || item.kind !== 'entry') continue;
    contexts.add(functionContext(key.value));
    if (key.block !== undefined && item.body !== undefined) collect(key.block, item.body, contexts);
  }
}
