/** An entry of a pipeline under the name of another program: its value, written where this language has it. */
import type { Block, BlockDeclaration, Entry, SyntaxFile } from '../../../grammar/syntax.ts';
import { isShard, type Shard } from '../../costs/optimizer.ts';
import { type Elsewhere, elsewhereMeant, keyMeant } from '../../language/otherNames.ts';
import { optimizerSharded } from '../shard.ts';
import { entriesOf, setKey, valueOf } from '../source.ts';
import { hasMisspelled, hasSameElsewhere } from './competing.ts';
import { replaced, withDeclaration, withoutNode } from './edits.ts';
import type { Repair } from './repair.ts';
import type { Site } from './site.ts';

/** The value of the entry in the key, block or argument that its name means. */
export function* carriedOver(syntax: SyntaxFile, { within, withinBlock, entry }: Site): Generator<Repair | undefined> {
  const value = entry?.values?.length === 1 ? entry.values[0] : undefined;
  if (entry === undefined || within === undefined || value === undefined || withinBlock !== 'pipeline') return;
  const name = entry.key.text;
  const written = syntax.text.slice(value.start, value.end);
  const key = keyMeant('pipeline', name);
  if (key !== undefined) yield instead(syntax, within, entry, key, written);
  const elsewhere = elsewhereMeant(name);
  if (elsewhere === undefined) return;
  const repair = inItsPlace(syntax, within, entry, elsewhere, written);
  if (repair !== undefined) yield hasSameElsewhere(within, entry) ? { ...repair, contested: true } : repair;
}

function inItsPlace(
  syntax: SyntaxFile,
  body: Block,
  entry: Entry,
  place: Elsewhere,
  written: string,
): Repair | undefined {
  switch (place.kind) {
    case 'model':
      return inModel(syntax, body, entry, place.key, written);
    case 'stages':
      return asStages(syntax, body, entry, written);
    case 'chunks':
      return asKey(syntax, body, entry, 'schedule', `interleaved_1f1b(chunks = ${written})`);
    case 'shard':
      return asShard(syntax, body, entry, written.toLowerCase());
  }
}

/** Replaces the value of a key that is written already, or a key that says the same in another unit. */
function instead(syntax: SyntaxFile, body: Block, entry: Entry, key: string, written: string): Repair | undefined {
  const [same] = entriesOf(body, key);
  if (same !== undefined) return asKey(syntax, body, entry, key, written);
  const [contrary] = key === 'global_batch' ? entriesOf(body, 'microbatches') : [];
  if (contrary === undefined) return undefined;
  return {
    what: `Write ${key} = ${written} instead of microbatches`,
    edits: [replaced(entry.key, key), withoutNode(syntax, contrary)],
    contested: true,
  };
}

function asKey(syntax: SyntaxFile, body: Block, entry: Entry, key: string, value: string): Repair {
  const text = `${key} = ${value}`;
  const isWritten = entriesOf(body, key).length > 0;
  return {
    what: `Write ${text}`,
    edits: isWritten ? [withoutNode(syntax, entry), setKey(syntax.text, body, key, value)] : [replaced(entry, text)],
    contested: isWritten || hasMisspelled('pipeline', body, entry, key),
  };
}

function asStages(syntax: SyntaxFile, body: Block, entry: Entry, number: string): Repair | undefined {
  if (entriesOf(body, 'stage').length > 0) return undefined;
  const cut = valueOf(body, 'stages');
  const first = cut?.kind === 'call' && cut.callee.text === 'balance' ? cut.arguments[0] : undefined;
  if (first === undefined || first.name !== undefined)
    return asKey(syntax, body, entry, 'stages', `balance(${number})`);
  const before = syntax.text.slice(first.start, first.end);
  const [from, to] = [syntax.text.slice(cut?.start, first.start), syntax.text.slice(first.end, cut?.end)];
  // The cut says the same already.
  if (before === number) return undefined;
  return {
    what: `Write stages = ${from}${number}${to}`,
    edits: [withoutNode(syntax, entry), replaced(first, number)],
    contested: true,
  };
}

/** In the model of the pipeline, or in a new model that takes over an imported one. */
export function inModel(syntax: SyntaxFile, body: Block, entry: Entry, key: string, value: string): Repair | undefined {
  const used = valueOf(body, 'model');
  if (used?.kind !== 'name') return undefined;
  const text = `${key} = ${value}`;
  const declared = syntax.declarations.find(
    (each): each is BlockDeclaration =>
      each.kind === 'block' && each.keyword.text === 'model' && each.name?.text === used.text,
  )?.body;
  if (declared !== undefined)
    return {
      what: `Write ${text} in model "${used.text}"`,
      edits: [withoutNode(syntax, entry), setKey(syntax.text, declared, key, value)],
      contested: entriesOf(declared, key).length > 0,
    };
  const made = `my_${used.text}`;
  return {
    what: `Declare model ${made} { from = ${used.text}  ${text} } and use it`,
    edits: [
      withDeclaration(syntax, used.start, `model ${made} { from = ${used.text}  ${text} }`),
      replaced(used, made),
      withoutNode(syntax, entry),
    ],
  };
}

const stagesOfZero: readonly Shard[] = ['none', 'zero1', 'zero2', 'zero3'];

/** `zero = 2`, `fsdp = true`, `shard = fsdp`. */
function shardMeant(key: string, written: string): Shard | undefined {
  if (written === 'true') return 'fsdp';
  if (written === 'false') return 'none';
  if (isShard(written)) return written;
  // `fsdp = 2` may be a number of ranks.
  return key.toLowerCase() !== 'fsdp' && /^[0-3]$/.test(written) ? stagesOfZero[Number(written)] : undefined;
}

function asShard(syntax: SyntaxFile, body: Block, entry: Entry, written: string): Repair | undefined {
  const shard = shardMeant(entry.key.text, written);
  if (shard === undefined) return undefined;
  const optimizer = valueOf(body, 'optimizer');
  if (optimizer === undefined) return asKey(syntax, body, entry, 'optimizer', `adam_mixed(shard = ${shard})`);
  const edit = optimizerSharded(optimizer, shard);
  return edit === undefined
    ? undefined
    : {
        what: `Write shard = ${shard} in the optimizer`,
        edits: [edit, withoutNode(syntax, entry)],
        // The optimizer has a shard already, which the edit replaces.
        contested: edit.end > edit.start,
      };
}
