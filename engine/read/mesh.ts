/** Reads the keys that say how the devices of a stage share its work: `tensor`, `context`, `data`, `expert`, … */
import type { Span } from '../../grammar/syntax.ts';
import { count } from '../basics/quantities.ts';
import { hasExperts, type ModelDefinition } from '../definitions/model.ts';
import type { ReadContext } from './context.ts';
import { or, readQuantity, readWord, type Keys, valueOf } from '../language/keys.ts';
import type { ContextExchange } from '../costs/types.ts';
import { type Mesh, meshName, sameMesh, sizeOf } from '../costs/mesh.ts';

const meshKeys = [
  'tensor',
  'sequence_parallel',
  'sequence',
  'context',
  'context_exchange',
  'data',
  'expert',
  'expert_tensor',
] as const;

/**
 * The mesh that a block writes; what it does not say is as in `base`. `undefined` where it is wrong, which has been reported,
 * `base` itself where it says nothing else. `model`: only where it is known.
 */
export function readMesh(context: ReadContext, keys: Keys, base: Mesh, model?: ModelDefinition): Mesh | undefined {
  if (meshKeys.every((meshKey) => keys.find(meshKey) === undefined)) return base;
  const tensor = or(readQuantity(context, keys, 'tensor'), base.tensor);
  const parts = or(readQuantity(context, keys, 'context'), base.context);
  const data = or(readQuantity(context, keys, 'data'), base.data);
  const expert = or(readQuantity(context, keys, 'expert'), base.expert);
  const byDefault = base.expertTensor === base.tensor ? tensor : base.expertTensor;
  const expertTensor = or(readQuantity(context, keys, 'expert_tensor'), byDefault);
  const sequenceName = sequenceKey(context, keys);
  const sequence = or(readWord<'true' | 'false'>(context, keys, sequenceName), String(base.sequenceParallel));
  const exchange = or(readWord<ContextExchange>(context, keys, 'context_exchange'), base.contextExchange ?? 'usual');
  if (tensor === undefined || parts === undefined || data === undefined) return undefined;
  if (expert === undefined || expertTensor === undefined || sequence === undefined) return undefined;
  if (exchange === undefined) return undefined;
  const mesh: Mesh = {
    tensor,
    sequenceParallel: sequence === 'true',
    context: parts,
    ...(exchange === 'usual' ? {} : { contextExchange: exchange }),
    data,
    expert,
    expertTensor,
  };
  const fault = faultOf(mesh);
  if (fault === undefined) return sameMesh(mesh, base) ? base : mesh;
  const entry =
    keys.find(fault.key) ?? meshKeys.map((meshKey) => keys.find(meshKey)).find((candidate) => candidate !== undefined);
  const at: Span | undefined = entry?.values?.[0] ?? entry?.key;
  const isIdle = fault.key === 'expert' && model !== undefined && !hasExperts(model);
  if (at !== undefined)
    context.report.report(
      'value/range',
      at,
      {
        what: `"${fault.key}"`,
        value: String(mesh[fault.key === 'expert_tensor' ? 'expertTensor' : 'expert']),
        allowed: isIdle ? `left out: no layer of "${model.name}" has experts` : fault.allowed,
      },
      fault.needsSequence === true && !isIdle ? { hint: { kind: 'key', key: sequenceName, value: 'true' } } : {},
    );
  return undefined;
}

/** Which of its two names sequence parallelism has in a block; a second one is a duplicate. */
export function sequenceKey(context: ReadContext, keys: Keys): 'sequence_parallel' | 'sequence' {
  const [long, short] = [keys.find('sequence_parallel'), keys.find('sequence')];
  if (long !== undefined && short !== undefined)
    context.report.report(
      'key/duplicate',
      short.key,
      { key: 'sequence', block: keys.block },
      { hint: { kind: 'remove' } },
    );
  const value = valueOf(short);
  if (value?.kind === 'quantity')
    context.report.report('type/mismatch', value, {
      expected: '`true` or `false`, for sequence parallelism; the tokens of a sample are `sequence` of the model',
      found: `\`${context.syntax.text.slice(value.start, value.end)}\``,
    });
  return long === undefined && short !== undefined ? 'sequence' : 'sequence_parallel';
}

interface Fault {
  readonly key: 'expert' | 'expert_tensor';
  readonly allowed: string;
  /** Sequence parallelism allows it, too. */
  readonly needsSequence?: true;
}

/**
 * Expert ranks are taken from the tensor (where these do not split experts), context and data ranks of a stage, as in Megatron-LM.
 * Ranks that send tokens to experts have each its own: tensor ranks need sequence parallelism for that.
 */
function faultOf(mesh: Mesh): Fault | undefined {
  const { tensor, expert, expertTensor, sequenceParallel } = mesh;
  if (tensor % expertTensor !== 0)
    return { key: 'expert_tensor', allowed: tensor === 1 ? '1' : `a divisor of ${tensor}, the tensor ranks` };
  const ranks = sizeOf(mesh) / expertTensor;
  if (ranks % expert !== 0)
    return {
      key: 'expert',
      allowed: `a divisor of ${ranks}: expert ranks are taken from the ${count(ranks, 'rank', 'ranks')} of ${meshName({ ...mesh, tensor: tensor / expertTensor })}`,
    };
  const sends = expert > 1 || expertTensor !== tensor;
  if (sends && tensor > 1 && !sequenceParallel)
    return {
      key: expert > 1 ? 'expert' : 'expert_tensor',
      allowed: `${expert > 1 ? '1' : tensor} without \`sequence_parallel = true\`: tensor ranks that hold the same tokens would all send them`,
      needsSequence: true,
    };
  return undefined;
}
