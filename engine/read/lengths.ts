/** `tokens(i) = …`, `tokens = [4096, 3100]`, `documents = …`: lengths of the samples of each microbatch. */
import type { ModelDefinition } from '../definitions/model.ts';
import type { MicrobatchLengths } from '../definitions/pipeline.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { quantity, type Variables } from '../language/expressions.ts';
import { type Keys, notApplicable, or, type Read, valueOf } from '../language/keys.ts';
import { count, share } from '../basics/quantities.ts';
import type { ReadContext } from './context.ts';
import { type Draw, isDistribution, lengthOf, readDistribution } from './drawnLengths.ts';

/** `tokens = 15Ttok`: of the whole training. Entries that say lengths are left to `readLengths`. */
export function readTotalTokens(context: ReadContext, keys: Keys): Read<number> {
  const entries = keys.all('tokens').filter((entry) => !saysLengths(entry));
  const at = valueOf(firstOf(context, entries));
  if (at === undefined) return entries.length === 0 ? { is: 'absent' } : { is: 'wrong' };
  const value = quantity(context, at, { kind: 'quantity', dimension: 'tokens', above: 0 }, '"tokens"');
  return value === undefined ? { is: 'wrong' } : { is: 'value', value };
}

/** Entries of one meaning; those after the first are reported. */
function firstOf(context: ReadContext, [first, ...others]: readonly Entry[]): Entry | undefined {
  const related = first === undefined ? [] : [{ place: context.report.place(first.key), message: 'This one is used.' }];
  for (const entry of others)
    context.report.report(
      'key/duplicate',
      entry.key,
      { key: entry.key.text, block: 'pipeline' },
      { related, hint: { kind: 'remove' } },
    );
  return first;
}

const unwrapped = (value: Expression): Expression => (value.kind === 'group' ? unwrapped(value.inner) : value);

/** Whether an entry `tokens` says lengths, not the tokens of the training. */
function saysLengths(entry: Entry): boolean {
  if (entry.key.text !== 'tokens') return false;
  const written = valueOf(entry);
  const value = written === undefined ? undefined : unwrapped(written);
  return (
    entry.parameters !== undefined ||
    value?.kind === 'list' ||
    (value?.kind === 'call' && isDistribution(value.callee.text))
  );
}

/** Whether an entry says the lengths of samples or of the documents in them, equal ones too. */
export const givesLengths = (entry: Entry): boolean => entry.key.text === 'documents' || saysLengths(entry);

/** Absent if all samples have `sequence` tokens and one document. `wrong` has been reported. */
export function readLengths(
  context: ReadContext,
  keys: Keys,
  microbatches: number,
  model: ModelDefinition,
): Read<MicrobatchLengths> {
  const tokensEntry = firstOf(context, keys.all('tokens').filter(saysLengths));
  const documentsEntry = keys.find('documents');
  const entry = documentsEntry ?? tokensEntry;
  // A pipeline of so many operations is refused where it is planned.
  if (entry === undefined || 2 * microbatches > context.options.limits.operations) return { is: 'absent' };
  const problem = misfit(model, documentsEntry !== undefined);
  if (problem !== undefined) {
    context.report.report('type/mismatch', valueOf(entry) ?? entry.key, problem);
    return { is: 'wrong' };
  }
  const longest = model.sequence ?? 0;
  const written = tokensEntry === undefined ? undefined : tokensOf(context, tokensEntry, microbatches, longest, model);
  if (tokensEntry !== undefined && written === undefined) return { is: 'wrong' };
  if (documentsEntry === undefined) {
    const tokens = written ?? [];
    if (tooVaried(context, entry, new Set(tokens).size)) return { is: 'wrong' };
    if (tokens.every((length) => length === longest)) return { is: 'absent' };
    hint(context, entry, tokens, longest);
    return { is: 'value', value: { tokens, key: 'tokens' } };
  }
  const room = written ?? new Array<number>(microbatches).fill(longest);
  const documents = documentsOf(context, documentsEntry, room, model);
  if (documents === undefined || tooVaried(context, documentsEntry, new Set(documents).size)) return { is: 'wrong' };
  if (!model.layers.some(({ cost }) => cost.kind === 'shape' && cost.args['flash'] === true))
    notApplicable(
      context,
      documentsEntry,
      'no layer has `flash = true`, and other kernels multiply whole samples, so only the sums of the lengths matter',
    );
  const tokens = written ?? documents.map(sum);
  hint(context, documentsEntry, tokens, longest, documents);
  return { is: 'value', value: { tokens, documents, key: 'documents' } };
}

/** Different lengths that a pipeline may have: layers are costed for each. */
const mostLengths = 4096;

/** Reports lengths that would take too long to cost. */
function tooVaried(context: ReadContext, entry: Entry, lengths: number): boolean {
  if (lengths <= mostLengths) return false;
  context.report.report('value/range', valueOf(entry) ?? entry.key, {
    what: 'The number of microbatches with different lengths',
    value: lengths.toLocaleString('en-US'),
    allowed: `at most ${mostLengths.toLocaleString('en-US')}: round the lengths, for example to multiples of 64`,
  });
  return true;
}

/** What the lengths are, after the value. */
function hint(
  context: ReadContext,
  entry: Entry,
  tokens: readonly number[],
  longest: number,
  documents?: readonly (readonly number[])[],
): void {
  const at = valueOf(entry);
  if (at === undefined) return;
  const mean = Math.round(sum(tokens) / tokens.length).toLocaleString('en-US');
  const full = share(sum(tokens) / (tokens.length * longest));
  const pieces = documents?.reduce((all, { length }) => all + length, 0);
  const packed = pieces === undefined ? '' : `${count(pieces, 'document', 'documents')}, `;
  const shown = tokens.slice(0, mostShown).map((length) => length.toLocaleString('en-US'));
  const more = tokens.length > mostShown ? ', …' : '';
  context.derived.push({
    offset: at.end,
    text: ` ${packed}mean ${mean} tokens, ${full} of the sequence`,
    tooltip: `Tokens of a sample, by microbatch: ${shown.join(', ')}${more}.`,
  });
}

/** Lengths that a tooltip lists. */
const mostShown = 32;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Why a model has no lengths by microbatch. */
function misfit(
  { name, sequence, microBatch }: ModelDefinition,
  packed: boolean,
): { readonly expected: string; readonly found: string } | undefined {
  if (sequence === undefined)
    return { expected: 'a model with "sequence", the most tokens of a sample', found: `model "${name}" without it` };
  if (packed && microBatch !== 1)
    return {
      expected: 'a model with `micro_batch = 1`, so that a microbatch is one packed sample',
      found: `\`micro_batch = ${microBatch}\` of model "${name}"`,
    };
  return undefined;
}

/** The parameter of `tokens(i)`; absent for `tokens = …`. */
function parameterOf(context: ReadContext, { key, parameters }: Entry): Read<string> {
  if (parameters === undefined) return { is: 'absent' };
  const [name] = parameters;
  if (parameters.length === 1 && name.kind === 'name') return { is: 'value', value: name.text };
  if (parameters.every(({ kind }) => kind !== 'missing'))
    context.report.report('type/mismatch', key, {
      expected: `one name, as \`${key.text}(i)\``,
      found: parameters.length === 1 ? 'a value' : `${parameters.length} names`,
    });
  return { is: 'wrong' };
}

const variablesAt = (parameter: string | undefined, microbatch: number): Variables | undefined =>
  parameter === undefined ? undefined : new Map([[parameter, microbatch]]);

/** Whether a list has an item for each microbatch; reports a shorter one. Items after these are not used. */
function longEnough(context: ReadContext, at: Expression, items: number, microbatches: number, key: string): boolean {
  if (items >= microbatches) return true;
  context.report.report('value/range', at, {
    what: `"${key}"`,
    value: `a list of ${items.toLocaleString('en-US')}`,
    allowed: `a list of at least ${count(microbatches, 'length', 'lengths')}, one for each microbatch`,
  });
  return false;
}

/** The value of `tokens` or `documents` without parentheses, and its parameter; `undefined` if either has an error. */
function writtenIn(
  context: ReadContext,
  entry: Entry,
): { readonly value: Expression; readonly parameter: string | undefined } | undefined {
  const written = valueOf(entry);
  const read = parameterOf(context, entry);
  if (written === undefined || read.is === 'wrong') return undefined;
  return { value: unwrapped(written), parameter: or(read, undefined) };
}

/** Tokens by microbatch. */
function tokensOf(
  context: ReadContext,
  entry: Entry,
  microbatches: number,
  longest: number,
  model: ModelDefinition,
): readonly number[] | undefined {
  const written = writtenIn(context, entry);
  if (written === undefined) return undefined;
  const { value, parameter } = written;
  if (value.kind === 'call' && isDistribution(value.callee.text)) {
    const draw = readDistribution(context, value, longest);
    return draw === undefined ? undefined : Array.from({ length: microbatches }, draw);
  }
  if (value.kind === 'list' && !longEnough(context, value, value.items.length, microbatches, 'tokens'))
    return undefined;
  const bounds = { min: 1, max: longest, maxIs: `the "sequence" of model "${model.name}"`, integer: true };
  const tokens: number[] = [];
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
    const at = value.kind === 'list' ? value.items[microbatch] : value;
    const name = parameter === undefined ? 'tokens' : `tokens(${microbatch})`;
    const length = lengthOf(context, at, name, bounds, variablesAt(parameter, microbatch));
    if (length === undefined) return undefined;
    tokens.push(length);
  }
  return tokens;
}

/** Documents by microbatch, whose sum is at most `room` there. */
function documentsOf(
  context: ReadContext,
  entry: Entry,
  room: readonly number[],
  model: ModelDefinition,
): readonly (readonly number[])[] | undefined {
  const written = writtenIn(context, entry);
  if (written === undefined) return undefined;
  const { value, parameter } = written;
  if (value.kind === 'call' && isDistribution(value.callee.text)) {
    const draw = readDistribution(context, value, Infinity);
    return draw === undefined ? undefined : packedCut(context, value, draw, room, model);
  }
  if (value.kind !== 'list' || value.items.length === 0) {
    context.report.report('type/mismatch', value, {
      expected:
        'a list of lengths such as `[1024, 1024, 2048]`, or a distribution such as `lognormal(mean = 900, sigma = 1, seed = 1)`',
      found: value.kind === 'list' ? 'an empty list' : 'a value',
    });
    return undefined;
  }
  const lists = value.items.map(unwrapped);
  const byMicrobatch = lists.every((item) => item.kind === 'list');
  if (byMicrobatch && !longEnough(context, value, lists.length, room.length, 'documents')) return undefined;
  const documents: (readonly number[])[] = [];
  let items = 0;
  for (const [microbatch, most] of room.entries()) {
    // A list without a parameter is the same for all.
    if (!byMicrobatch && parameter === undefined && microbatch > 0 && room[microbatch - 1] <= most) {
      documents.push(documents[microbatch - 1]);
      continue;
    }
    const list = byMicrobatch ? lists[microbatch] : value;
    items += list.kind === 'list' ? list.items.length : 0;
    if (tooMany(context, value, items)) return undefined;
    const lengths =
      list.kind === 'list' ? lengthsIn(context, list.items, most, variablesAt(parameter, microbatch)) : undefined;
    if (lengths === undefined) return undefined;
    if (sum(lengths) > most) {
      context.report.report('value/range', list, {
        what: `The sum of the documents of microbatch ${microbatch}`,
        value: sum(lengths).toLocaleString('en-US'),
        allowed: `at most ${most.toLocaleString('en-US')}, the tokens of its sample`,
      });
      return undefined;
    }
    documents.push(lengths);
  }
  return documents;
}

function lengthsIn(
  context: ReadContext,
  items: readonly Expression[],
  most: number,
  variables: Variables | undefined,
): readonly number[] | undefined {
  const lengths: number[] = [];
  for (const item of items) {
    const bounds = { min: 1, max: most, maxIs: 'the tokens of the sample', integer: true };
    const length = lengthOf(context, item, 'documents', bounds, variables);
    if (length === undefined) return undefined;
    lengths.push(length);
  }
  return lengths;
}

/** Reports documents over the limit of operations: each is a step of reading. */
function tooMany(context: ReadContext, at: Expression, documents: number): boolean {
  const { operations } = context.options.limits;
  if (documents <= operations) return false;
  context.report.report('value/range', at, {
    what: 'The number of documents of all microbatches',
    value: `more than ${operations.toLocaleString('en-US')}`,
    allowed: 'less: draw longer documents, or fewer microbatches',
  });
  return true;
}

/** Share of drawn documents over the sequence that is no surprise: distributions have long tails. */
const usualCut = 0.1;

/** Drawn documents, cut to the sequence; says so if many are. */
function packedCut(
  context: ReadContext,
  at: Expression,
  draw: Draw,
  room: readonly number[],
  { name, sequence: longest = 1 }: ModelDefinition,
): readonly (readonly number[])[] | undefined {
  let drawn = 0;
  let over = 0;
  const cut = (): number => {
    const length = draw();
    drawn += 1;
    if (length > longest) over += 1;
    return Math.min(length, longest);
  };
  const samples = packed(context, at, cut, room);
  if (samples !== undefined && over > usualCut * drawn)
    context.report.report(
      'value/range',
      at,
      {
        what: `The share of drawn documents that are longer than the "sequence" of model "${name}"`,
        value: share(over / drawn),
        allowed: `at most ${share(usualCut)}: each is cut to ${longest.toLocaleString('en-US')} tokens. Set a longer sequence, or draw shorter documents`,
        advised: true,
      },
      { severity: 'warning' },
    );
  return samples;
}

/** Documents are packed as they come: the first that finds no room begins the next sample. */
function packed(
  context: ReadContext,
  at: Expression,
  draw: Draw,
  room: readonly number[],
): readonly (readonly number[])[] | undefined {
  const samples: (readonly number[])[] = [];
  let next = draw();
  let drawn = 0;
  for (const most of room) {
    const documents: number[] = [];
    let left = most;
    while (documents.length === 0 || next <= left) {
      const length = Math.min(next, left);
      documents.push(length);
      left -= length;
      next = draw();
      drawn += 1;
      if (tooMany(context, at, drawn)) return undefined;
    }
    samples.push(documents);
  }
  return samples;
}
