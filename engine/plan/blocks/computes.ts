import type { FileContext } from '../context.ts';
import type { DeviceDefinition, ModelDefinition } from '../definitions.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { type CostSetting, tensorProblem } from './layerCosts.ts';
import { speedAt } from './rates.ts';

/** Whose layers are to be costed, under which setting, and where a finding about a key goes. */
export interface ToCost extends CostSetting {
  readonly model: ModelDefinition;
  at(key: string): Span;
}

/** Shapes need the device's peak rate, and tensor ranks that they divide by. */
export function computes(context: FileContext, read: ToCost, kinds: readonly DeviceDefinition[]): boolean {
  if (read.model.layers.every((one) => one.cost.kind === 'measured')) return true;
  for (const kind of kinds) {
    if (speedAt(kind, read.model.precision).compute !== undefined) continue;
    const own = kind.place.uri === context.uri;
    context.report.report('key/missing', own ? kind.place : read.at('devices'), {
      key: 'compute',
      block: own ? 'device' : `device "${kind.name}"`,
      example: 'compute = 312TFLOPS',
    });
    return false;
  }
  const problem = tensorProblem(read.model, read);
  if (problem === undefined) return true;
  context.report.report('value/range', read.at('tensor'), {
    what: '"tensor"',
    value: String(read.tensor),
    allowed: `a number that fits layer "${problem.layer.name}": ${problem.problem.replace(/\.$/, '')}`,
  });
  return false;
}
