/** Reads `fill` of a pipeline: the model whose layers run where devices idle. */
import type { Expression, Span } from '../../grammar/syntax.ts';
import type { FileContext } from '../language/context.ts';
import type { DeviceDefinition, ModelDefinition } from './definitions.ts';
import { evaluate } from '../language/expressions.ts';
import { or, readQuantity, valueOf, type Keys } from '../language/keys.ts';
import type { FillPlan } from '../plan.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import { elementOrder } from '../planning/cut/balanceCut.ts';
import { computes } from '../planning/cost/computes.ts';
import { elementName } from './elements.ts';
import { layerCosts } from '../planning/cost/layerCosts.ts';
import { loneSite } from '../planning/place/sites.ts';

/** A fill job as written. */
export interface FillUse {
  readonly model: ModelDefinition;
  readonly work: FillPlan['work'];
  readonly overhead: number;
}

/** The fill job; `undefined` where there is none, `'wrong'` where it has an error (reported). */
export function readFill(context: FileContext, keys: Keys): FillUse | undefined | 'wrong' {
  const entry = keys.one('fill');
  const overhead = or(readQuantity(context, keys, 'fill_overhead'), 0);
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  const job = value === undefined ? undefined : jobOf(context, value);
  return job === undefined || overhead === undefined ? 'wrong' : { ...job, overhead };
}

/** `NAME`, `inference(NAME)` or `training(NAME)`. */
function jobOf(context: FileContext, value: Expression): Omit<FillUse, 'overhead'> | undefined {
  if (value.kind === 'group') return jobOf(context, value.inner);
  if (value.kind === 'call') {
    const { text } = value.callee;
    if (!context.links.has(value.callee) || (text !== 'inference' && text !== 'training')) return undefined;
    const argument = bindArguments(context, value, text, ['model'])?.get('model')?.value;
    if (argument === undefined && value.arguments.length === 0)
      context.report.report('key/missing', value, {
        key: 'model',
        block: `call of ${text}`,
        example: `fill = ${text}(NAME)`,
      });
    const model = argument === undefined ? undefined : modelOf(context, argument);
    return model === undefined ? undefined : { model, work: text };
  }
  const model = modelOf(context, value);
  return model === undefined ? undefined : { model, work: 'inference' };
}

function modelOf(context: FileContext, value: Expression): ModelDefinition | undefined {
  if (value.kind === 'group') return modelOf(context, value.inner);
  // A name that is no model has been reported where names are linked; a model with an error, at the error.
  if (value.kind === 'name') return context.models.get(context.links.get(value) ?? '');
  const found = evaluate(context, value);
  if (found !== undefined)
    context.report.report('type/mismatch', value, {
      expected: 'the name of a model, `inference(NAME)` or `training(NAME)`',
      found: describe(found),
    });
  return undefined;
}

/**
 * Tasks of the fill job on each kind of device, one for each layer, in the order in which they run. A task holds the layer's
 * weights, activations and workspace, in training its gradients too, which are as large as the weights. `undefined` where a
 * layer cannot be costed (reported).
 */
export function fillPlan(
  context: FileContext,
  { model, work, overhead }: FillUse,
  kinds: readonly DeviceDefinition[],
  at: (key: string) => Span,
): FillPlan | undefined {
  if (!computes(context, { model, meshes: [], at }, kinds)) return undefined;
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
