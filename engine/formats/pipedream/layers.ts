/** A measured layer graph in the order in which a `.pipe` file lists it, whatever file it comes from. */
import { orderByNeed } from '../../basics/ordering.ts';
import { validNames } from '../names.ts';
import type { MeasuredLayer } from '../measured.ts';
import type { ProfileGraph } from './graph.ts';

/**
 * Layers of a profile. As in PipeDream's optimizer, a source whose description starts with `Input` takes no time (its measured
 * time is for loading data). A sink whose description starts with `__getitem__` is left out. Each layer comes after the layers
 * that it needs, and the layers of a branch are consecutive.
 */
export function layersOfProfile({ nodes, needs }: ProfileGraph): readonly MeasuredLayer[] {
  const used = new Uint8Array(nodes.length);
  for (const list of needs) for (const item of list) used[item] = 1;
  const kept = (node: number): boolean => used[node] === 1 || !nodes[node].description.startsWith('__getitem__');
  const order = orderByNeed(nodes.length, (node) => needs[node]).order.filter(kept);
  const names = validNames(order.map((node) => nodes[node].id));
  const position = new Map(order.map((node, index) => [node, index]));
  return order.map((node, index) => {
    const { description, forward, backward, activation, parameters, start, end } = nodes[node];
    const input = needs[node].length === 0 && description.startsWith('Input');
    return {
      name: names[index],
      description,
      forward: input ? 0 : forward / 1000,
      backward: input ? 0 : backward / 1000,
      weights: parameters,
      activation,
      output: activation,
      after: needs[node].flatMap((value) => position.get(value) ?? []),
      start,
      end,
    };
  });
}
