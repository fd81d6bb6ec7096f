/** Reads `tokens` and `images` of a layer with a shape: the sequences that it works on. */
import type { Entry } from '../../grammar/syntax.ts';
import type { LayerDefinition, LayerTokens } from '../definitions/model.ts';
import { type Keys, missing, notApplicable, or, readQuantity } from '../language/keys.ts';
import type { ReadContext } from './context.ts';

export const sequenceKeys = ['tokens', 'images'] as const;

/** The layer with its sequences; `undefined` where they are wrong, which has been reported. */
export function withTokens<R extends { readonly cost: LayerDefinition['cost']; readonly text: string }>(
  context: ReadContext,
  keys: Keys,
  read: R,
  entry: Entry,
): R | undefined {
  const { cost } = read;
  const written = sequenceKeys.flatMap((key) => keys.find(key) ?? []);
  if (cost.kind === 'measured' || written.length === 0) return read;
  const { shape, args } = cost;
  const [tokens, images] = sequenceKeys.map((key) => or(readQuantity(context, keys, key), 'absent'));
  if (tokens === undefined || images === undefined) return undefined;
  for (const each of written) {
    const reason = useless(shape, args['tokens'] !== undefined, each.key.text === 'tokens');
    if (reason !== undefined) {
      notApplicable(context, each, reason);
      return read;
    }
  }
  if (tokens === 'absent' && shape !== 'conv2d' && shape !== 'matmul') {
    missing(context, 'layer', 'tokens', entry.name ?? entry.key);
    return undefined;
  }
  const counted: LayerTokens = {
    ...(tokens === 'absent' ? {} : { tokens }),
    ...(images === 'absent' ? {} : { images }),
  };
  const words = [
    ...(tokens === 'absent' ? [] : [`${tokens} tokens`]),
    ...(images === 'absent' || images === 1 ? [] : [`${images} images`]),
  ];
  return { ...read, cost: { ...cost, ...counted }, text: [read.text, ...words].join(', ') };
}

/** Why the costs of a shape do not depend on the key. */
function useless(shape: string, fixed: boolean, ofTokens: boolean): string | undefined {
  if (shape === 'custom') return '`custom` gives the costs of a whole microbatch';
  if (fixed) return 'the argument `tokens` counts the vectors of a whole microbatch';
  if (!ofTokens) return undefined;
  if (shape === 'conv2d') return 'a convolution works on pixels';
  return shape === 'matmul' ? 'the product has its sizes as arguments' : undefined;
}
