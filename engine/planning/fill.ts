/** The other work that devices of a pipeline do where they idle. */
import type { DeviceDefinition } from '../definitions/device.ts';
import type { FillPlan } from '../values/plan.ts';
import type { FillUse } from '../definitions/pipeline.ts';
import type { Notes } from './notes.ts';
import type { Span } from '../../grammar/syntax.ts';
import { computes } from './cost/computes.ts';
import { elementName } from '../definitions/model.ts';
import { elementOrder } from '../definitions/elementOrder.ts';
import { layerCosts } from './cost/layerCosts.ts';
import { loneSite } from './place/sites.ts';

/**
 * Tasks of the fill job on each kind of device, one for each layer, in the order in which they run. A task holds the layer's
 * weights, activations and workspace, in training its gradients too, which are as large as the weights. `undefined` where a
 * layer cannot be costed (reported).
 */
export function fillPlan(
  notes: Notes,
  { model, work, overhead }: FillUse,
  kinds: readonly DeviceDefinition[],
  at: (key: string) => Span,
): FillPlan | undefined {
  if (!computes(notes, { model, meshes: [], at }, kinds)) return undefined;
  const costs = layerCosts(model);
  const training = work === 'training';
  const order = [...elementOrder(model)];
  const tasksOn = (kind: DeviceDefinition): FillPlan['tasks'][string] => {
    const site = loneSite(kind);
    return order.map((element) => {
      const cost = costs.of(element, site, 'none');
      return {
        layer: elementName(model, element),
        seconds: cost.forward + (training ? cost.backwardInput + cost.backwardWeight : 0),
        bytes: (training ? 2 : 1) * cost.weights + cost.activation + cost.workspace,
      };
    });
  };
  const tasks = Object.fromEntries([...new Set(kinds)].map((kind) => [kind.name, tasksOn(kind)]));
  return { model: model.name, work, overhead, tasks };
}
