import * as fc from '../../support/property.ts';
import { type Mesh, lone, sizeOf } from '../../../engine/costs/mesh.ts';
import { describe, expect, it } from 'vitest';
import { dataGroups, expertDataGroups, groupsOf } from '../../../engine/planning/place/rankGroups.ts';

/**
 * Groups as Megatron-LM defines them (megatron/core/parallel_state.py, `RankGenerator`): ranks are numbered by mixed radix, the first
 * dimension of the order innermost; a group has the ranks that differ in some dimensions only.
 */
function megatron(sizes: Readonly<Record<string, number>>, differ: readonly string[]): number[][] {
  const names = Object.keys(sizes);
  const world = names.reduce((product, name) => product * sizes[name], 1);
  const groups = new Map<string, number[]>();
  for (let rank = 0; rank < world; rank += 1) {
    let rest = rank;
    const place = names.map((name) => {
      const digit = rest % sizes[name];
      rest = Math.floor(rest / sizes[name]);
      return differ.includes(name) ? '*' : digit;
    });
    const key = place.join();
    groups.set(key, [...(groups.get(key) ?? []), rank]);
  }
  return [...groups.values()];
}

const sorted = (groups: readonly (readonly number[])[]) =>
  groups.map((group) => [...group]).sort((a, b) => a[0] - b[0]);

/** Meshes with all that they need: experts split the context and data ranks, and the tensor ranks where these do not split experts. */
const meshes = fc
  .record({
    tensor: fc.integer({ min: 1, max: 8 }),
    context: fc.integer({ min: 1, max: 4 }),
    data: fc.integer({ min: 1, max: 6 }),
    whole: fc.boolean(),
    pick: fc.nat(),
  })
  .map(({ tensor, context, data, whole, pick }): Mesh => {
    const expertTensor = whole ? tensor : 1;
    const ranks = (tensor * context * data) / expertTensor;
    const divisors = Array.from({ length: ranks }, (_, index) => index + 1).filter((value) => ranks % value === 0);
    return { ...lone, tensor, context, data, expertTensor, expert: divisors[pick % divisors.length] };
  });

describe('groups of a pipeline rank', () => {
  const devicesOf = (mesh: Mesh) => Array.from({ length: sizeOf(mesh) }, (_, index) => index);

  it('are those of Megatron-LM, order tp-cp-ep-dp', () => {
    fc.assert(
      fc.property(meshes, (mesh) => {
        const { tensor, context, data, expert, expertTensor } = mesh;
        const devices = devicesOf(mesh);
        const dense = { tp: tensor, cp: context, dp: data };
        expect(sorted(groupsOf(devices, mesh, 'tensor'))).toEqual(sorted(megatron(dense, ['tp'])));
        expect(sorted(groupsOf(devices, mesh, 'context'))).toEqual(sorted(megatron(dense, ['cp'])));
        expect(sorted(dataGroups(devices, mesh))).toEqual(sorted(megatron(dense, ['cp', 'dp'])));
        const sparse = { tp: expertTensor, ep: expert, dp: devices.length / expert / expertTensor };
        expect(sorted(groupsOf(devices, mesh, 'expert'))).toEqual(sorted(megatron(sparse, ['ep'])));
        expect(sorted(expertDataGroups(devices, mesh))).toEqual(sorted(megatron(sparse, ['dp'])));
      }),
    );
  });

  it('count replicas that split microbatches as data ranks', () => {
    const mesh = { ...lone, tensor: 2, data: 2 };
    const devices = [10, 11, 12, 13, 14, 15, 16, 17];
    expect(dataGroups(devices, mesh)).toEqual([
      [10, 12, 14, 16],
      [11, 13, 15, 17],
    ]);
  });
});
