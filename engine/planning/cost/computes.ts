import type { Notes } from '../notes.ts';
import { type DeviceDefinition, speedAt } from '../../definitions/device.ts';
import type { ModelDefinition } from '../../definitions/model.ts';
import type { Mesh } from '../../costs/mesh.ts';
import type { Span } from '../../../grammar/syntax.ts';
import { meshProblem } from './layerCosts.ts';

/** Whose layers are to be costed, on which meshes, and where a finding about a key goes. */
export interface ToCost {
  /** Of the pipeline, if it has one. */
  readonly name?: string;
  readonly model: ModelDefinition;
  readonly meshes: readonly Mesh[];
  at(key: string): Span;
}

/** Shapes need the device's peak rate, and ranks that they divide by. */
export function computes(notes: Notes, pipeline: ToCost, kinds: readonly DeviceDefinition[]): boolean {
  if (pipeline.model.layers.every((layer) => layer.cost.kind === 'measured')) return true;
  for (const kind of kinds) {
    const { precision, inBf16 } = pipeline.model;
    const formats = inBf16 === undefined ? [precision] : ([precision, 'bf16'] as const);
    if (formats.every((format) => speedAt(kind, format).compute !== undefined)) continue;
    const inFile = kind.place.uri === notes.uri;
    notes.report.report('key/missing', inFile ? kind.place : pipeline.at('devices'), {
      key: 'compute',
      block: inFile ? 'device' : `device "${kind.name}"`,
      example: 'compute = 312TFLOPS',
    });
    return false;
  }
  for (const mesh of pipeline.meshes) {
    const undivided = undividedBy(pipeline.model, mesh.context);
    if (undivided !== undefined) {
      notes.report.report('value/range', pipeline.at('context'), {
        what: '"context"',
        value: String(mesh.context),
        allowed: `a divisor of the ${undivided}`,
      });
      return false;
    }
    const found = meshProblem(pipeline.model, mesh);
    if (found === undefined) continue;
    const tensor = found.key === 'context' ? fewerTensor(pipeline.model, mesh) : undefined;
    const parameters = {
      what: `"${found.key}"`,
      value: String(mesh[found.key]),
      allowed: `a number that fits layer "${found.layer.name}": ${found.problem.replace(/\.$/, '')}${tensor === undefined ? '' : ` (use fewer tensor ranks: \`tensor = ${tensor}\`)`}${nearest(pipeline.model, mesh, found.key)}`,
    };
    const { name: owner } = pipeline;
    const hint =
      tensor === undefined || owner === undefined
        ? {}
        : { hint: { kind: 'value', pipeline: owner, input: 'tensor', values: [tensor] } as const };
    notes.report.report('value/range', pipeline.at(found.key), parameters, hint);
    return false;
  }
  return true;
}

/** Tokens that context ranks cannot share equally: of the model's sequence, or of a layer's. */
function undividedBy({ sequence = 1, layers }: ModelDefinition, context: number): string | undefined {
  if (sequence % context !== 0) return `${sequence} tokens of a sequence`;
  for (const { name, cost } of layers) {
    if (cost.kind === 'shape' && cost.tokens !== undefined && cost.tokens % context !== 0)
      return `${cost.tokens} tokens of layer "${name}"`;
  }
  return undefined;
}

/** The most tensor ranks, fewer than now, with which these context ranks fit the layers: a rank then has more heads. */
function fewerTensor(model: ModelDefinition, mesh: Mesh): number | undefined {
  for (let tensor = Math.min(mesh.tensor, mostRanks) - 1; tensor >= 1; tensor -= 1)
    if (meshProblem(model, { ...mesh, tensor }) === undefined) return tensor;
  return undefined;
}

/** Largest number of ranks that is tried. */
const mostRanks = 4096;

/** `; nearest: 2 or 4`: the nearest numbers of ranks below and above that fit the layers. */
function nearest(model: ModelDefinition, mesh: Mesh, key: 'tensor' | 'context' | 'expert'): string {
  const fits = (ranks: number): boolean =>
    meshProblem(model, { ...mesh, [key]: ranks })?.key !== key &&
    (key !== 'context' || undividedBy(model, ranks) === undefined);
  const now = mesh[key];
  const found: number[] = [];
  for (let ranks = Math.min(now, mostRanks) - 1; ranks >= 1 && found.length === 0; ranks -= 1)
    if (fits(ranks)) found.push(ranks);
  for (
    let ranks = now + 1, below = found.length;
    ranks <= Math.min(4 * now, mostRanks) && found.length === below;
    ranks += 1
  )
    if (fits(ranks)) found.push(ranks);
  return found.length === 0 ? '' : `; nearest: ${found.join(' or ')}`;
}
