/** Reads `from` of a model: layers that another file describes. One reader for each kind of file. */
import type { ModelSource } from './modelSource.ts';
import type { SourceLayer } from './modelSource.ts';
import type { Call, Entry, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { valueOf } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { readHuggingFace } from './modelFromHuggingFace.ts';
import { readProfile } from './modelFromProfile.ts';

/** A reader is given the call before names are linked: its arguments are texts and numbers as written. It reports what is wrong. */
type SourceReader = (context: ReadContext, call: Call) => ModelSource | undefined;

const readers: ReadonlyMap<string, SourceReader> = new Map<string, SourceReader>([
  ['profile', readProfile],
  ['huggingface', readHuggingFace],
]);

/** Layers that a `from` entry gives; `undefined` where it is wrong, which has been reported or will be where names are linked. */
export function readFrom(context: ReadContext, entry: Entry): readonly SourceLayer[] | undefined {
  const value = valueOf(entry);
  const source = value === undefined ? undefined : sourceOf(context, value);
  if (source !== undefined) context.sources.set(entry, source);
  return source?.layers;
}

function sourceOf(context: ReadContext, value: Expression): ModelSource | undefined {
  if (value.kind === 'group') return sourceOf(context, value.inner);
  if (value.kind === 'call') return readers.get(value.callee.text)?.(context, value);
  if (value.kind === 'name' && !readers.has(value.text)) return undefined;
  const found = value.kind === 'name' ? undefined : evaluate(context, value);
  if (value.kind === 'name' || found !== undefined)
    context.report.report('type/mismatch', value, {
      expected: [...readers.keys()].map((name) => `\`${name}("FILE")\``).join(' or '),
      found: found === undefined ? `\`${value.kind === 'name' ? value.text : ''}\` without a file` : describe(found),
    });
  return undefined;
}
