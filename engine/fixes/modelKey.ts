/** A key of the model of a pipeline: written where the model is, or into a new model that takes the layers of one in another file. */
import type { Subject } from './candidates.ts';
import type { Edit } from './proposal.ts';
import { documentedStart, freeName, lineBreak, modelBody, setKey, valueOf } from './source.ts';

export function modelEdits(
  { analysis, plan, body }: Subject,
  { key, value = '' }: { readonly key: string; readonly value?: string },
): readonly (Edit | undefined)[] {
  const { syntax } = analysis;
  const model = modelBody(analysis, plan.model);
  if (model !== undefined) return [setKey(syntax.text, model, key, value)];
  const written = valueOf(body, 'model');
  const block = syntax.declarations.find((each) => each.kind === 'block' && each.body === body);
  if (written?.kind !== 'name' || block?.kind !== 'block') return [undefined];
  const name = freeName(syntax, `my_${written.text}`);
  const start = documentedStart(syntax.text, block);
  const end = lineBreak(syntax.text);
  return [
    { start, end: start, text: `model ${name} { from = ${written.text}  ${key} = ${value} }${end}${end}` },
    { start: written.start, end: written.end, text: name },
  ];
}
