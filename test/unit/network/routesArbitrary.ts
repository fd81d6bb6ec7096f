import * as fc from '../../support/property.ts';
import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { clusterOf } from './routesClusters.ts';

/** Whole bytes a second and whole seconds: sums are exact, so that ties are ties. */
const figures = fc
  .record({
    rate: fc.integer({ min: 1, max: 8 }),
    delay: fc.integer({ min: 0, max: 5 }),
    sharing: fc.constantFrom('', '', 'half', 'shared'),
  })
  .map(({ rate, delay, sharing }) => `${sharing}(${rate}B/s + ${delay}s)`);

const optional = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(''), text);
const plain = optional(figures.map((link) => `link = ${link}`));
/** Between two devices, or between each of some and each of others. */
const between = (size: number): fc.Arbitrary<string> =>
  fc
    .record({ a: fc.nat(size - 1), b: fc.nat(size - 1), more: fc.constantFrom(0, 0, 1, 2), link: figures })
    .map(({ a, b, more, link }) => {
      const range = (first: number, count: number): string => `gpu[${first}..${Math.min(size - 1, first + count)}]`;
      return more === 0 && a === b ? '' : `link ${range(a, more && more - 1)} -- ${range(b, more)} = ${link}`;
    });

/** Equal nodes: a link of all, two switches, one with a port for each device, links between devices, links to the switch around. */
const node = fc
  .record({ count: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 3 }) })
  .chain(({ count, size }) =>
    fc
      .record({
        own: plain,
        ports: optional(figures.map((link) => `switch inner { ports = gpu[0..${size - 1}]  link = ${link} }`)),
        links: fc.array(between(size), { maxLength: 2 }),
        up: optional(figures.map((link) => `link gpu[0..${size - 1}] -- fabric = ${link}`)),
        card: optional(
          fc
            .tuple(figures, figures)
            .map(([a, b]) => `switch nic { ports = gpu[0]  link = ${a} }  link nic -- fabric = ${b}`),
        ),
      })
      .map(({ own, ports, links, up, card }) => ({
        devices: count * size,
        text: `node[${count}] { gpu[${size}] = x  ${own}  ${ports}  ${links.join('  ')}  ${up}  ${card} }`,
      })),
  );

/** Clusters of up to three kinds of nodes around one switch, some with devices outside of nodes and links between nodes. */
export const anyCluster: fc.Arbitrary<{ readonly text: string; readonly cluster: ClusterDefinition }> = fc
  .record({
    loose: fc.integer({ min: 0, max: 3 }),
    nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
    pod: fc.boolean(),
    link: plain,
    up: optional(figures),
  })
  .chain(({ loose, nodes, pod, link, up }) => {
    const inner = nodes.map(({ text }) => text).join('\n');
    const size = nodes.reduce((sum, { devices }) => sum + devices, 0) * (pod ? 2 : 1) + loose;
    return fc.array(between(size), { maxLength: 3 }).map((links) => {
      const ports = up === '' || loose === 0 ? '' : `link gpu[0..${loose - 1}] -- fabric = ${up}`;
      const text = [
        'switch fabric {}',
        loose > 0 ? `gpu[${loose}] = x` : '',
        pod ? `node[2] { ${inner} }` : inner,
        link,
        ports,
        ...links,
      ].join('\n');
      return { text, cluster: clusterOf(text) };
    });
  });
