import type { Block, Call, Entry, Expression, SyntaxFile } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';
import { entriesOf, valueOf } from './source.ts';

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
 * they become a balanced cut. Blocks that say more than their layers, and stages of a planner, are not cut again.
 */
export function recut({ text }: Pick<SyntaxFile, 'text'>, body: Block, stages: number): Recut {
  const blocks = entriesOf(body, 'stage');
  if (blocks.length > 0) return withoutBlocks(text, blocks, stages);
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

function withoutBlocks(text: string, blocks: readonly Entry[], stages: number): Recut {
  for (const { name, body } of blocks) {
    const more = body?.entries.find((entry) => entry.kind === 'entry' && entry.key.text !== 'layers');
    if (more?.kind === 'entry')
      return { refused: `stage "${name?.text ?? ''}" sets "${more.key.text}", which a new cut would lose` };
  }
  const written = `balance(${stages})`;
  const edits = blocks.map(({ start, end }, index) =>
    index === 0
      ? { start, end, text: `stages = ${written}` }
      : { start: start - (/\s*$/.exec(text.slice(0, start))?.[0].length ?? 0), end, text: '' },
  );
  return { edits, text: written, instead: `${blocks.length} stage blocks` };
}
