/** What a layer adds to the time of its stage, as a cut sees it. */
import { someLayersIn } from '../../costs/recompute.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import type { ModelDefinition } from '../../definitions/model.ts';
import { type LayerCosts, roleOf, totalTime } from '../cost/layerCosts.ts';
import type { Site } from '../place/sites.ts';
import type { CutRequest } from './balanceCut.ts';

/** Under `full(layers = k)` and `full(every = k)` a stage decides which of its layers are recomputed. */
export function stageSeconds(
  model: ModelDefinition,
  costs: LayerCosts,
  mode: RecomputeMode,
): Pick<CutRequest<Site>, 'time' | 'recomputed'> {
  const time = (element: number, site: Site): number => totalTime(costs.of(element, site, mode));
  const some = someLayersIn(mode);
  if (some === undefined || some.method === 'uniform') return { time };
  return {
    time,
    recomputed: {
      some,
      isBlock: (element) => roleOf(model, element) === 'block',
      time: (element, site) => totalTime(costs.of(element, site, 'full')) - time(element, site),
    },
  };
}
