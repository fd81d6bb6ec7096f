/** Models of which nothing trains, or half of a matrix that two layers share. */
import { type LayerDefinition, type ModelDefinition, elementName } from '../definitions/model.ts';
import type { Entry } from '../../grammar/syntax.ts';
import type { Keys } from '../language/keys.ts';
import { valueOf } from '../language/keys.ts';
import type { ReadContext } from './context.ts';

/** Whether the model can be trained so; what is wrong has been reported. */
export function checkTraining(context: ReadContext, model: ModelDefinition, keys: Keys): boolean {
  const { layers, layerOf, frozen, elements } = model;
  if (frozen === undefined && layers.every(({ trains }) => trains === undefined)) return true;
  const trains = (element: number) =>
    frozen?.has(element) === true ? 'nothing' : (layers[layerOf[element]].trains ?? 'all');
  const learning = Array.from({ length: elements }, (_, element) => trains(element) !== 'nothing');
  const at = valueOf(placeOf(keys)) ?? keys.entries[0]?.key;
  if (at === undefined) return true;
  if (!learning.includes(true)) {
    context.report.report('type/mismatch', at, {
      expected: 'a model with a layer that trains',
      found: 'a model of which nothing trains',
    });
    return false;
  }
  const isTied = ({ cost }: LayerDefinition) => cost.kind === 'shape' && cost.args['tied'] === true;
  const embeddings = layers.filter(({ cost }) => cost.kind === 'shape' && cost.shape === 'embedding');
  const heads = layers.filter(isTied);
  const learns = ({ first }: LayerDefinition) => trains(first) !== 'nothing';
  for (const head of heads) {
    const other = embeddings.find((embedding) => learns(embedding) !== learns(head));
    if (other === undefined) continue;
    const [still, moving] = learns(head) ? [other, head] : [head, other];
    context.report.report('type/mismatch', at, {
      expected: `an embedding and ${tiedName(head)} that both train, or neither`,
      found: `"${elementName(model, still.first)}" frozen and "${elementName(model, moving.first)}" not; they share one matrix`,
    });
    return false;
  }
  return true;
}

const tiedName = ({ cost }: LayerDefinition): string =>
  cost.kind === 'shape' && cost.shape === 'embedding' ? 'an embedding tied to it' : 'a tied head';

/** The entry to report: of the model, otherwise of its first layer that says something. */
const placeOf = (keys: Keys): Entry | undefined => keys.find('frozen') ?? keys.find('trainable');
