/** `microbatches`, or the number of them that `global_batch` leaves for each data rank. */
import type { Expression } from '../../grammar/syntax.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import { checked, evaluate } from '../language/expressions.ts';
import { readQuantity, valueOf, type Keys, type Read } from '../language/keys.ts';
import { findKey } from '../language/schema.ts';
import type { Mesh } from '../costs/mesh.ts';
import { count } from '../basics/quantities.ts';
import type { ReadContext } from './context.ts';
import { givesLengths } from './lengths.ts';

/** Reports a batch that does not divide, and one that contradicts `microbatches`. */
export function readMicrobatches(
  context: ReadContext,
  keys: Keys,
  model: ModelDefinition | undefined,
  mesh: Mesh | undefined,
): Read<number> {
  const written = readQuantity(context, keys, 'microbatches');
  const entry = keys.find('global_batch');
  if (entry === undefined || written.is === 'wrong') return written;
  const at = valueOf(entry);
  const batch = at === undefined ? undefined : readBatch(context, keys, at, model);
  if (batch === undefined || model === undefined || mesh === undefined || at === undefined) return { is: 'wrong' };
  const { microBatch } = model;
  const samples = microBatch * mesh.data;
  const factors = `${count(microBatch, 'sample', 'samples')} of a microbatch × ${count(mesh.data, 'data rank', 'data ranks')}`;
  const refuse = (allowed: string): Read<number> => {
    context.report.report('value/range', at, { what: '"global_batch"', value: batch.words, allowed });
    return { is: 'wrong' };
  };
  const microbatches = batch.samples / samples;
  if (written.is === 'value' && written.value !== microbatches)
    return refuse(`${written.value * samples} (${count(written.value, 'microbatch', 'microbatches')} × ${factors})`);
  if (!Number.isInteger(microbatches)) {
    const below = Math.floor(microbatches) * samples;
    const meant = binarySamples(batch);
    const nearest = [below, below + samples, ...(meant % samples === 0 ? [meant] : [])].filter((value) => value > 0);
    return refuse(
      `${[...new Set(nearest)].join(' or ')}${batch.tokens === undefined ? '' : ' samples'} (a multiple of ${samples}: ${factors})`,
    );
  }
  if (written.is === 'absent')
    context.derived.push({
      offset: at.end,
      text: ` ${count(microbatches, 'microbatch', 'microbatches')}`,
      tooltip: `${batch.tokens === undefined ? '' : `${grouped(batch.tokens.all)} tokens / ${grouped(batch.tokens.each)} of a sample = `}${batch.samples} samples of an iteration / (${factors}).`,
    });
  return { is: 'value', value: microbatches };
}

interface Batch {
  readonly samples: number;
  /** As a message shows it. */
  readonly words: string;
  /** Of the batch and of a sample, if the file says tokens. */
  readonly tokens?: { readonly all: number; readonly each: number };
}

/** Samples, or tokens in samples of the model's length, which may be no whole number. */
function readBatch(
  context: ReadContext,
  keys: Keys,
  at: Expression,
  model: ModelDefinition | undefined,
): Batch | undefined {
  const schema = findKey('pipeline', 'global_batch')?.value;
  const value = evaluate(context, at);
  if (value === undefined || schema?.kind !== 'quantity') return undefined;
  if (value.kind !== 'measure' || value.dimension !== 'tokens') {
    const samples = checked(context, at, value, schema, '"global_batch"');
    return samples === undefined ? undefined : { samples, words: String(samples) };
  }
  const tokens = checked(context, at, value, { kind: 'quantity', dimension: 'tokens', above: 0 }, '"global_batch"');
  if (tokens === undefined || model === undefined) return undefined;
  const { sequence } = model;
  const found = `${grouped(tokens)} tokens`;
  if (sequence === undefined) {
    const expected = `a number of samples, since model "${model.name}" has no "sequence"`;
    context.report.report('type/mismatch', at, { expected, found });
    return undefined;
  }
  const samples = tokens / sequence;
  const lengths = keys.entries.find(givesLengths);
  if (lengths !== undefined) {
    const near = Math.max(1, Math.round(samples));
    const expected = `a number of samples, since "${lengths.key.text}" says that they differ in tokens. With ${grouped(sequence)} tokens each it would be \`${near}\``;
    context.report.report('type/mismatch', at, { expected, found });
    return undefined;
  }
  return {
    samples,
    words: `${decimals(samples)} samples of ${grouped(sequence)} tokens`,
    tokens: { all: tokens, each: sequence },
  };
}

/** Two decimals, or as many as it takes to tell the number from a whole one: a token less than 512 samples is not 512 samples. */
function decimals(samples: number): string {
  const most = 15;
  let digits = 2;
  while (digits < most && Number.isInteger(Number(samples.toFixed(digits))) && !Number.isInteger(samples)) digits += 1;
  return String(Number(samples.toFixed(digits)));
}

/** Samples, if millions of tokens are meant as 2²⁰: a batch of 4 M tokens is often 4,194,304. */
const binarySamples = ({ tokens }: Batch): number =>
  tokens === undefined || tokens.all % 1e6 !== 0 ? Number.NaN : ((tokens.all / 1e6) * 2 ** 20) / tokens.each;

const grouped = (number: number): string => number.toLocaleString('en-US');
