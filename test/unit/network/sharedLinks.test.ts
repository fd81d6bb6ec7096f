import { expect, it } from 'vitest';
import { sharedLinks } from '../../../engine/network/sharedLinks.ts';
import { clusterOf } from './routesClusters.ts';

it('of links that carry the same bytes, the slowest is listed, wherever on the way it is', () => {
  const switches =
    'switch spine {}  node[2] { gpu[2] = x  switch nic { ports = gpu[0..1]  link = 90GB/s }  switch leaf {}';
  for (const [first, second] of [
    [20, 5],
    [5, 20],
  ]) {
    const cluster = clusterOf(`${switches}  link nic -- leaf = ${first}GB/s  link leaf -- spine = ${second}GB/s }`);
    // Each reduces between the two nodes: half of its bytes leave each of them.
    const reductions = [
      { groups: [[0, 2]], bytes: 600 },
      { groups: [[1, 3]], bytes: 200 },
    ];
    const found = sharedLinks(cluster, reductions);
    expect(found.map(({ bandwidth, bytes }) => [bandwidth, bytes])).toEqual([[5e9, [300, 100]]]);
  }
});
