/** The parameter `chunks` of policies that put several stages on a device. */
import { badInteger, shownArgument } from './arguments.ts';
import type { PolicyParameter, Shape, ShapeFault } from './policy.ts';

export const chunksParameter: PolicyParameter = {
  name: 'chunks',
  kind: 'integer',
  summary: 'Stages that each device holds.',
  default: 2,
  min: 1,
};

export function chunkFaults({ args }: Shape): readonly ShapeFault[] {
  if (!badInteger(args, 'chunks', 1)) return [];
  const message = `chunks is ${shownArgument(args, 'chunks')}; it must be a whole number of at least 1`;
  return [{ message, fix: { input: 'chunks', values: [2] } }];
}
