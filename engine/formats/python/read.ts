/**
 * Reads configurations that are written in Python, without running them: calls with keyword arguments whose values are literal.
 * `Trainer.Config(seed=1, training=TrainingConfig(steps=10))` is an object with the field `_class` and one for each argument.
 */
import type { JsonMember, JsonValue } from '../json/value.ts';
import { tokensOf } from './tokens.ts';
import { type Cursor, valuesAt } from './values.ts';

export interface PythonRead {
  /** Calls of the wanted classes, in the order of the file. */
  readonly calls: readonly (JsonValue & { readonly kind: 'object' })[];
  /** Values that are no literals, such as `os.environ["X"]`: they are null among the fields. */
  readonly open: ReadonlySet<JsonValue>;
  /** What one assignment gives a name; undefined for a name of several. */
  readonly names: ReadonlyMap<string, JsonValue | undefined>;
  /** Values by the dotted name that they are assigned to, such as `config.training.steps`; the last one if there are several. */
  readonly assigned: ReadonlyMap<string, JsonMember>;
}

/** All calls of a class in a text. A name has the value that one assignment of the file gives it. */
export function readPython(text: string, isWanted: (name: string) => boolean): PythonRead {
  const cursor: Cursor = { tokens: tokensOf(text), at: 0 };
  const { tokens } = cursor;
  const open = new Set<JsonValue>();
  const names = new Map<string, JsonValue | undefined>();
  const assigned = new Map<string, JsonMember>();
  const calls: (JsonValue & { readonly kind: 'object' })[] = [];
  const values = valuesAt(cursor, text.length, { open, calls, isWanted, names });
  const peek = (ahead = 0): string => tokens[cursor.at + ahead]?.text ?? '';

  /** `config.training.steps =` at the start of a statement, which is then behind. */
  const dottedAssignment = (): { readonly name: string; readonly from: number } | undefined => {
    if (tokens[cursor.at].kind !== 'name' || peek(1) !== '.' || (cursor.at > 0 && tokens[cursor.at - 1].text !== '\n'))
      return undefined;
    const from = cursor.at;
    const name = values.dotted();
    if (peek() === '=') {
      cursor.at += 1;
      return { name, from };
    }
    cursor.at = from;
    return undefined;
  };

  while (cursor.at < tokens.length) {
    const path = dottedAssignment();
    if (path !== undefined) {
      const key = { start: tokens[path.from].start, end: tokens[cursor.at - 2].end };
      assigned.set(path.name, { key, value: values.value() });
      continue;
    }
    const isAssigned = tokens[cursor.at].kind === 'name' && peek(1) === '=';
    const name = isAssigned ? peek() : undefined;
    if (isAssigned) cursor.at += 2;
    else if (peek() === 'return') cursor.at += 1;
    else if (tokens[cursor.at].kind !== 'name' || peek(1) === '\n') {
      cursor.at += 1;
      continue;
    }
    const from = cursor.at;
    const read = values.value();
    // A name of two assignments has no value that is known here.
    if (name !== undefined) names.set(name, names.has(name) || open.has(read) ? undefined : read);
    if (cursor.at === from) cursor.at += 1;
  }
  return { calls, open, names, assigned };
}
