import type { Block, Call, Entry, Expression, SyntaxFile } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';
import { entriesOf, indentOf, lineBreak, valueOf } from './source.ts';

/** How a pipeline gets another number of stages, or why it cannot without losing what the file says. */
export type Recut = WrittenCut | { readonly refused: string };

export interface WrittenCut {
  readonly edits: readonly Edit[];
  /** The cut as it is then written: `balance(10)`. */
  readonly text: string;
  /** The cut that it replaces: `split(3, 3, 2)`, or `3 stage blocks`. */
  readonly instead: string;
}

/**
 * `balance(n)` gets the number and keeps the rest. `split(…)` and plain `stage` blocks count layers for their number of stages only, so
 * they become a balanced cut, and comments stay. Blocks that say more than their layers, and stages of a planner, are not cut again.
 */
export function recut(file: Pick<SyntaxFile, 'text' | 'comments'>, body: Block, stages: number): Recut {
  const { text } = file;
  const blocks = entriesOf(body, 'stage');
  if (blocks.length > 0) return withoutBlocks(file, blocks, stages);
  const value = valueOf(body, 'stages');
  if (value === undefined) return { refused: 'the pipeline has no "stages"' };
  const instead = text.slice(value.start, value.end).replaceAll(/\s+/g, ' ');
  if (value.kind !== 'call') return { refused: `"stages = ${instead}" has no number of stages` };
  if (value.callee.text === 'balance') return { ...rebalanced(text, value, stages), instead };
  if (value.callee.text === 'split') {
    const written = `balance(${stages})`;
    return { edits: [{ start: value.start, end: value.end, text: written }], text: written, instead };
  }
  return { refused: `the planner of "stages = ${instead}" chooses the number of stages` };
}

/** `balance` without a number: its stages follow from the devices and the schedule. */
export const followsDevices = (value: Expression | undefined): boolean =>
  (value?.kind === 'name' && value.text === 'balance') ||
  (value?.kind === 'call' && value.callee.text === 'balance' && stagesArgument(value) === undefined);

/** The argument of `balance` that is the number of stages. */
export const stagesArgument = ({ arguments: given }: Call): Call['arguments'][number] | undefined =>
  given.find(({ name }, index) => (name === undefined ? index === 0 : name.text === 'stages'));

function rebalanced(text: string, call: Call, stages: number): Omit<WrittenCut, 'instead'> {
  const number = stagesArgument(call)?.value;
  if (number === undefined) return { edits: [], text: text.slice(call.start, call.end) };
  const edit = { start: number.start, end: number.end, text: String(stages) };
  const written = text.slice(call.start, edit.start) + edit.text + text.slice(edit.end, call.end);
  return { edits: [edit], text: written.replaceAll(/\s+/g, ' ') };
}

function withoutBlocks(file: Pick<SyntaxFile, 'text' | 'comments'>, blocks: readonly Entry[], stages: number): Recut {
  for (const { name, body } of blocks) {
    const more = body?.entries.find((entry) => entry.kind === 'entry' && entry.key.text !== 'layers');
    if (more?.kind === 'entry')
      return { refused: `stage "${name?.text ?? ''}" sets "${more.key.text}", which a new cut would lose` };
  }
  const written = `balance(${stages})`;
  const edits: Edit[] = [];
  let before: Removed | undefined;
  for (const block of blocks) {
    before = withoutBlock(file, block, before, before === undefined ? `stages = ${written}` : undefined);
    edits.push(before.edit);
  }
  return { edits, text: written, instead: `${blocks.length} stage blocks` };
}

interface Removed {
  readonly edit: Edit;
  /** Whether what is left there ends with a line comment, whose line break goes with the next block. */
  readonly endsInComment: boolean;
}

/** Writes `instead` in place of a block, or nothing. Comments in the block and behind it stay, each on a line. */
function withoutBlock(
  { text, comments }: Pick<SyntaxFile, 'text' | 'comments'>,
  { start, end }: Entry,
  before: Removed | undefined,
  instead: string | undefined,
): Removed {
  const inside = comments.flatMap((comment) =>
    comment.start >= start && comment.end <= end ? [text.slice(comment.start, comment.end)] : [],
  );
  const line = lineBreak(text) + indentOf(text, start);
  const left = text.slice(0, start).trimEnd().length;
  const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const endsLine = /^\r?\n|^$/.test(text.slice(end + blanks, end + blanks + 2));
  const follows = comments.some((comment) => comment.start === end + blanks);
  if (inside.length > 0) {
    const kept = [...(instead === undefined ? [] : [instead]), ...inside].join(line) + (endsLine ? '' : line);
    return { edit: { start, end: follows ? end + blanks : end, text: kept }, endsInComment: endsLine };
  }
  if (instead !== undefined) return { edit: { start, end, text: instead }, endsInComment: false };
  if (follows) return { edit: { start, end: end + blanks, text: '' }, endsInComment: false };
  const isBehindComment =
    comments.some((comment) => comment.end === left) || (before?.edit.end === left && before.endsInComment);
  // What follows on the line must not get into the comment.
  if (isBehindComment && !endsLine) return { edit: { start, end, text: '' }, endsInComment: false };
  return { edit: { start: left, end, text: '' }, endsInComment: isBehindComment };
}
