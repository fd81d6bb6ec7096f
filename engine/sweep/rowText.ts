/** The `.pipe` text of a row: the file with its values set. All other text stays as it is, comments included. */
import { type Block, type BlockDeclaration, format, parse, type SyntaxFile } from '../../grammar/index.ts';
import { apply, type Edit } from '../fixes/proposal.ts';
import { recut, stagesArgument } from '../fixes/recut.ts';
import { withoutNode } from '../fixes/repairs/edits.ts';
import { addKeyInOrder, entriesOf, lineBreak, lineStart, setKey, valueOf } from '../fixes/source.ts';
import { blocks } from '../language/schema.ts';
import type { SweepBase } from './base.ts';
import { ofDataRanks, ofTensorRanks, type PlacedRow } from './placeRow.ts';
import { wholeKeys } from './axes.ts';
import { hasStageCount } from './stageCount.ts';
import { hasValue } from './usualValues.ts';
import { withoutIdleKeys } from './withoutIdleKeys.ts';

/** The file that a row is written into, and its pipeline. */
export type Written = Pick<SweepBase, 'pipeline' | 'size' | 'batch' | 'schedule' | 'ranks' | 'stages'> & {
  readonly syntax: SyntaxFile;
  readonly body: Block;
};

/** New keys are written where the reference has them: ranks with ranks, `sync` behind `optimizer`. */
const order = blocks.pipeline.keys.map(({ name }) => name);

export function rowText(file: Written, row: PlacedRow): { readonly text: string } | { readonly refused: string } {
  const { text } = file.syntax;
  const edits: Edit[] = [];
  const idle = idleEdits(file, row);
  // New keys are not written behind a line that goes.
  const kept = file.body.entries.filter(({ start }) => idle.every((edit) => start < edit.start || start >= edit.end));
  const body = { ...file.body, entries: kept };
  const set = (key: string, value: string): string | undefined => {
    const isNew = entriesOf(file.body, key).length === 0;
    const edit = isNew ? addKeyInOrder(text, body, [key, value], order) : setKey(text, file.body, key, value);
    if (edit === undefined) return `"${key}" cannot be written into the pipeline`;
    edits.push(edit);
    return undefined;
  };
  const { mesh, microBatch } = file.size;
  const { settings } = row;
  const ranks = { tensor: row.tensor, context: row.context, data: row.data, expert: row.expert };
  for (const [key, value] of Object.entries(ranks)) {
    if (value === mesh[key as keyof typeof ranks]) continue;
    const refused = set(key, String(value));
    if (refused !== undefined) return { refused };
  }
  if (row.schedule !== file.schedule) set('schedule', row.schedule);
  // `global_batch` says it for every row that has the samples of the file.
  const follows = entriesOf(file.body, 'global_batch').length > 0;
  if (row.samples !== file.batch) {
    const refused = set('global_batch', String(row.samples));
    if (refused !== undefined) return { refused };
  }
  const isWritten = entriesOf(file.body, 'microbatches').length > 0;
  if (isWritten && row.microbatches !== file.size.microbatches) set('microbatches', String(row.microbatches));
  if (!follows && !isWritten) return { refused: 'the pipeline has neither "microbatches" nor "global_batch"' };
  const cut = cutEdits(file, row);
  if ('refused' in cut) return cut;
  edits.push(...cut);
  for (const [key, value] of Object.entries(settings)) {
    if (key === 'schedule' || wholeKeys.some((whole) => whole === key) || hasValue(file.body, key, value)) continue;
    const param = paramEdit(file.syntax, key, value);
    if (param !== undefined) edits.push(param);
    else {
      const refused = set(key, value);
      if (refused !== undefined) return { refused };
    }
  }
  edits.push(...idle);
  if (row.microBatch !== microBatch) {
    const model = modelEdits(file, row.microBatch);
    if ('refused' in model) return model;
    edits.push(...model);
  }
  return { text: apply(text, edits) };
}

/** The same without keys that have no effect in it, and in the canonical layout if the file is in it. */
export function rowFile(file: Written & Pick<SweepBase, 'file'>, row: PlacedRow): ReturnType<typeof rowText> {
  const written = rowText(file, row);
  if ('refused' in written) return written;
  const text = withoutIdleKeys({ ...file.file, text: written.text }, file.pipeline);
  const layout = format(file.syntax);
  if (!layout.ok || layout.text !== file.syntax.text) return { text };
  const formatted = format(parse(text));
  return { text: formatted.ok ? formatted.text : text };
}

/** Without what the file says of tensor ranks, or of data ranks, if it has several of them and the row has one. */
function idleEdits({ syntax, body, size: { mesh } }: Written, { tensor, context, data }: PlacedRow): readonly Edit[] {
  const keys = [
    ...(tensor === 1 && mesh.tensor > 1 ? [...ofTensorRanks, 'sequence'] : []),
    ...(context * data === 1 && mesh.context * mesh.data > 1 ? ofDataRanks : []),
  ];
  return keys.flatMap((key) => entriesOf(body, key)).map((entry) => withoutNode(syntax, entry));
}

/** The number of stages, if the file says it and the row has another one. */
function cutEdits(
  { syntax, body, stages: before }: Written,
  { stages }: PlacedRow,
): readonly Edit[] | { readonly refused: string } {
  if (!hasStageCount(body) || (stages !== undefined && before === stages)) return [];
  if (stages !== undefined) {
    const cut = recut(syntax, body, stages);
    return 'refused' in cut ? cut : cut.edits;
  }
  // A declared schedule puts as many stages on its devices as it likes.
  const value = valueOf(body, 'stages');
  const number = value?.kind === 'call' && value.callee.text === 'balance' ? stagesArgument(value) : undefined;
  if (value?.kind !== 'call' || number === undefined) {
    const cut = recut(syntax, body, 1);
    if ('refused' in cut) return cut;
    return cut.edits.map((edit) => ({ ...edit, text: edit.text.replace('balance(1)', 'balance') }));
  }
  const others = value.arguments.filter((argument) => argument !== number);
  const kept = others.map(({ start, end }) => syntax.text.slice(start, end)).join(', ');
  return [{ start: value.start, end: value.end, text: kept === '' ? 'balance' : `balance(${kept})` }];
}

function paramEdit({ declarations }: SyntaxFile, name: string, value: string): Edit | undefined {
  for (const declaration of declarations)
    if (declaration.kind === 'param' && declaration.name?.text === name && declaration.value !== undefined)
      return { start: declaration.value.start, end: declaration.value.end, text: value };
  return undefined;
}

/** Sets `micro_batch` of the model, or of a new model from it, if the model is imported or others use it too. */
function modelEdits(
  { syntax, body, pipeline }: Written,
  microBatch: number,
): readonly Edit[] | { readonly refused: string } {
  const { text } = syntax;
  const named = valueOf(body, 'model');
  if (named?.kind !== 'name') return { refused: 'the pipeline names no model' };
  const blocks = syntax.declarations.filter((each): each is BlockDeclaration => each.kind === 'block');
  const model = blocks.find(({ keyword, name }) => keyword.text === 'model' && name?.text === named.text);
  const uses = syntax.tokens.filter((token) => token.kind === 'name' && token.text === named.text).length;
  // Its declaration and this pipeline.
  if (model?.body !== undefined && uses <= 2) {
    const edit = setKey(text, model.body, 'micro_batch', String(microBatch));
    return edit === undefined ? { refused: '"micro_batch" cannot be written into the model' } : [edit];
  }
  const block = blocks.find(({ keyword, name }) => keyword.text === 'pipeline' && name?.text === pipeline);
  const taken = new Set(syntax.tokens.map((token) => token.text));
  let name = `${named.text}_mb${microBatch}`;
  while (taken.has(name)) name += '_';
  const at = firstLine(syntax, block?.start ?? 0);
  const line = lineBreak(text);
  const written = `model ${name} {${line}  from        = ${named.text}${line}  micro_batch = ${microBatch}${line}}${line}${line}`;
  return [
    { start: at, end: at, text: written },
    { start: named.start, end: named.end, text: name },
  ];
}

/** Before the documentation of a declaration. */
function firstLine({ text, comments }: SyntaxFile, start: number): number {
  let at = lineStart(text, start);
  for (const comment of comments.toReversed())
    if (comment.end < at && text.slice(comment.end, at).trim() === '' && comment.kind === 'doc')
      at = lineStart(text, comment.start);
  return at;
}
