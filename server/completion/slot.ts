import type { Expression, SyntaxFile } from '../../grammar/index.ts';
import type { Cursor } from '../text/cursor.ts';

/** Keys of a pipeline whose values are offered with the figures that they give in the file. */
const simulatedKeys = ['schedule', 'sync', 'collective'] as const;
export type SimulatedKey = (typeof simulatedKeys)[number];

/** The place of the value in `schedule = …`, `sync = …` or `collective = …` of a pipeline. */
export interface ValueSlot {
  readonly key: SimulatedKey;
  readonly pipeline: string;
  /** What is replaced: the word at the cursor, or the whole call that it begins. */
  readonly start: number;
  readonly end: number;
  /** The text around it. */
  readonly before: string;
  readonly after: string;
  /** What is replaced, where it is a call. */
  readonly written?: Expression;
}

/** Undefined where the cursor is elsewhere. */
export function valueSlotAt({ text }: SyntaxFile, cursor: Cursor): ValueSlot | undefined {
  const [block, inner] = cursor.blocks;
  const pipeline = block?.declaration.name?.text;
  const { entry, before, word } = cursor;
  if (block?.name !== 'pipeline' || inner !== undefined || pipeline === undefined) return undefined;
  const key = simulatedKeys.find((name) => name === entry?.key.text);
  if (entry === undefined || key === undefined || before?.text !== '=' || before.start < entry.key.end)
    return undefined;
  if (entry.values?.[0] !== undefined && entry.values[0].start < before.start) return undefined;
  // Before a value the cursor touches no word yet.
  const written = entry.values?.find(
    ({ kind, start }) => start === word.start && (kind === 'call' || (kind === 'name' && start === word.end)),
  );
  // Editors take an edit at the cursor on one line only.
  const whole = written !== undefined && !text.slice(written.start, written.end).includes('\n') ? written : undefined;
  const { start, end } = whole ?? word;
  return { key, pipeline, start, end, before: text.slice(0, start), after: text.slice(end), written: whole };
}
