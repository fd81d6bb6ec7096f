/** Arguments of a policy that loads a model in groups of layers: arguments of the file, and arguments that the planner adds. */
import type { PolicyArguments } from '../policy.ts';
import { type Grouping, type LoadCosts, type LoadedLayers, groupings } from './grouping.ts';

/**
 * Defaults. Pinned memory over PCIe 3.0 ×16 reaches about 12 GB/s (CUDA C++ Best Practices Guide, "Pinned Memory"). A call of
 * cudaMemcpyAsync takes 5 to 7 µs (arXiv:2602.21548, section 5.2). For the synchronisation there is no such source.
 */
export const usualCosts: LoadCosts = { bandwidth: 12e9, call: 6e-6, sync: 10e-6 };

export const costsOf = (args: PolicyArguments): LoadCosts => ({
  bandwidth: number(args['bandwidth'], usualCosts.bandwidth),
  call: number(args['call'], usualCosts.call),
  sync: number(args['sync'], usualCosts.sync),
});

export const groupingOf = (args: PolicyArguments): Grouping =>
  groupings.find((grouping) => grouping === args['groups']) ?? 'best';

/** What the planner adds: layers of each group, and bytes and seconds of each layer, so that other groupings can be computed. */
export const loadedArguments = (
  args: PolicyArguments,
  { bytes, seconds }: LoadedLayers,
  sizes: readonly number[],
): PolicyArguments => ({ ...args, sizes, bytes: Array.from(bytes), seconds: Array.from(seconds) });

/** Layers of each group; empty before the planner has made them. */
export const sizesOf = (args: PolicyArguments): readonly number[] => list(args['sizes']);

export const layersOf = (args: PolicyArguments): LoadedLayers => ({
  bytes: list(args['bytes']),
  seconds: list(args['seconds']),
});

const list = (value: PolicyArguments[string] | undefined): readonly number[] => (Array.isArray(value) ? value : []);
const number = (value: PolicyArguments[string] | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
