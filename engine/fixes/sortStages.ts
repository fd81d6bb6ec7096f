/** Puts the stages of a pipeline in the order of their layers. */
import { nodeAt, type Expression, type Span } from '../../grammar/index.ts';
import type { Analysis } from '../flow/check.ts';
import type { Rewriting } from './rewriting.ts';
import { entriesOf, modelBody, valueOf } from './source.ts';

/** Offered inside a pipeline whose stages are written in another order than the layers of its model. */
export function stageSortings(analysis: Analysis, { start }: Span): readonly Rewriting[] {
  const { syntax } = analysis;
  const block = nodeAt(syntax, start).find((node) => node.kind === 'block');
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || block.body === undefined) return [];
  const model = valueOf(block.body, 'model');
  const layers = model?.kind === 'name' ? modelBody(analysis, model.text) : undefined;
  if (layers === undefined) return [];
  const names = entriesOf(layers, 'layer').map(({ name }) => name?.text ?? '');
  const stages = entriesOf(block.body, 'stage');
  const first = (index: number): readonly [number, number] => {
    const { body } = stages[index];
    const value = body === undefined ? undefined : entriesOf(body, 'layers')[0]?.values?.[0];
    return value === undefined ? [-1, 0] : placeOf(value, names);
  };
  const places = stages.map((_, index) => first(index));
  if (places.some(([layer]) => layer < 0)) return [];
  const sorted = stages
    .map((_, index) => index)
    .sort((a, b) => places[a][0] - places[b][0] || places[a][1] - places[b][1]);
  const edits = stages.flatMap((stage, index) => {
    const other = stages[sorted[index]];
    return other === stage
      ? []
      : [{ start: stage.start, end: stage.end, text: syntax.text.slice(other.start, other.end) }];
  });
  return edits.length === 0 ? [] : [{ title: 'Sort the stages by their layers', kind: 'rewrite', mends: true, edits }];
}

/** The layer and the element of `embed`, `block[3]` or `block[3..5]`. */
function placeOf(value: Expression, names: readonly string[]): readonly [number, number] {
  if (value.kind === 'name') return [names.indexOf(value.text), 0];
  if (value.kind !== 'index') return [-1, 0];
  const element = value.arguments[0]?.value;
  const low = element?.kind === 'range' ? element.from : element;
  return low?.kind === 'quantity' ? [names.indexOf(value.target.text), low.value] : [-1, 0];
}
