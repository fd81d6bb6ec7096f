/** Tokens of images that an embedding joins with its text, where there are more than a sequence has room for. */
import { type ModelDefinition, elementName, needsOf } from '../definitions/model.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import type { ReadContext } from './context.ts';

/** Whether all tokens have room; what is wrong has been reported where the model says its sequence. */
export function checkJoins(context: ReadContext, model: ModelDefinition, keys: Keys): boolean {
  const { layers, layerOf, sequence } = model;
  const entry = keys.find('sequence');
  const at = (entry === undefined ? undefined : valueOf(entry)) ?? keys.entries[0]?.key;
  // Where layers attend to a tower, its tokens go there.
  if (sequence === undefined || at === undefined || layers.some(({ attends }) => attends !== undefined)) return true;
  for (const { cost, name, first } of layers) {
    if (cost.kind === 'measured' || cost.shape !== 'embedding' || cost.tokens !== undefined) continue;
    for (const need of needsOf(model, first)) {
      const { cost: tower } = layers[layerOf[need]];
      if (tower.kind === 'measured' || tower.tokens === undefined) continue;
      const width = tower.args['outputs'] ?? tower.args['hidden'];
      const tokens = tower.tokens * (tower.images ?? 1);
      if (width !== cost.args['hidden'] || tokens <= sequence * (cost.images ?? 1)) continue;
      context.report.report('value/range', at, {
        what: 'The sequence',
        value: String(sequence),
        allowed: `at least ${tokens}, since "${name}" joins ${tokens} tokens of "${elementName(model, need)}" to its own`,
      });
      return false;
    }
  }
  return true;
}
