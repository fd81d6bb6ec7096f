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

/** Two nodes of four devices, each pair of which has a card. */
const twoCards = clusterOf(
  'switch core {}  node[2] { gpu[4] = x  switch left { ports = gpu[0..1]  link = 90GB/s }  switch right { ports = gpu[2..3]  link = 90GB/s }' +
    '  link left -- core = 7GB/s  link right -- core = 3GB/s }',
);

it('a reduction of several groups is one user of a link, and one without bytes is none', () => {
  const [first, second] = [
    [0, 4],
    [1, 5],
  ];
  const both = { groups: [first, second], bytes: 600 };
  expect(sharedLinks(twoCards, [both, { groups: [[2, 6]], bytes: 600 }])).toEqual([]);
  expect(sharedLinks(twoCards, [both, { groups: [first], bytes: 0 }])).toEqual([]);
  const found = sharedLinks(twoCards, [both, { groups: [first], bytes: 200 }]);
  // Half of the bytes of each group leave the node.
  expect(found.map(({ bandwidth, bytes }) => [bandwidth, bytes])).toContainEqual([7e9, [600, 100]]);
});

it('cards that carry the same bytes are one link, the slower one, and others are links of their own', () => {
  const through = (bytes: number) => [
    {
      groups: [
        [0, 4],
        [2, 6],
      ],
      bytes: 600,
    },
    {
      groups: [
        [1, 5],
        [3, 7],
      ],
      bytes,
    },
  ];
  const found = sharedLinks(twoCards, through(200));
  expect(found.map(({ bandwidth, bytes }) => [bandwidth, bytes])).toEqual([[3e9, [300, 100]]]);
  const unlike = sharedLinks(twoCards, [...through(200), { groups: [[2, 6]], bytes: 20 }]);
  const figures = unlike.map(({ bandwidth, bytes }) => [bandwidth, bytes]);
  expect(figures).toContainEqual([7e9, [300, 100, 0]]);
  expect(figures).toContainEqual([3e9, [300, 100, 10]]);
});
