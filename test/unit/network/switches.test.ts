import * as fc from '../../support/property.ts';
import type { ClusterDefinition, LinkDefinition, NamedLink } from '../../../engine/definitions/cluster.ts';
import { describe, expect, test } from 'vitest';
import { routeBetween } from '../../../engine/network/routes/routeBetween.ts';
import type { RoutePlan } from '../../../engine/values/plan.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (cluster: string, count: number): string =>
  `model m { layer l[${count}] { forward = 1ms  backward = 1ms  output = 1MB } }
device x { memory = 1GiB }
cluster k { ${cluster} }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(${count})  schedule = gpipe }`;

function routes(cluster: string, count: number): (from: number, to: number) => RoutePlan | undefined {
  const { plan, findings } = resolveText(text(cluster, count));
  expect(findings.filter((finding) => finding.severity === 'error').map((finding) => finding.message)).toEqual([]);
  return (from, to) => plan.pipelines[0].routes.find((route) => route.from === from && route.to === to);
}

describe('switches', () => {
  test('are hops of a way: latencies add up, the least bandwidth counts, ports are shared by what leaves a device', () => {
    const of = routes('gpu[3] = x  switch s { ports = gpu[0..2]  link = 10GB/s + 2us }', 3);
    expect(of(0, 1)).toMatchObject({ bandwidth: 10e9, latency: 4e-6 });
    expect(of(0, 1)?.hops).toHaveLength(2);
    // gpu[1] sends both ways over its one port.
    expect(of(1, 0)?.hops?.[0]?.channel).toBe(of(1, 2)?.hops?.[0]?.channel);
    // What comes and what goes are apart.
    expect(of(0, 1)?.hops?.[1]?.channel).not.toBe(of(1, 2)?.hops?.[0]?.channel);
  });
  test('of each node are its own; links reach switches of the blocks around them', () => {
    const of = routes(
      'switch spine {}  node[2] { gpu[2] = x  switch nic { ports = gpu[0..1]  link = 20GB/s + 1us }  link nic -- spine = shared(5GB/s + 3us) }',
      4,
    );
    expect(of(0, 1)).toMatchObject({ bandwidth: 20e9, latency: 2e-6 });
    expect(of(1, 2)).toMatchObject({ bandwidth: 5e9, latency: 8e-6 });
    expect(of(1, 2)?.hops).toHaveLength(4);
    // Each node's shared uplink is a resource of its own, the same one both ways.
    const [, up, down] = of(1, 2)?.hops ?? [];
    expect(up?.channel).not.toBe(down?.channel);
    expect(new Set(of(2, 1)?.hops?.map((hop) => hop.channel)).has(up?.channel ?? -1)).toBe(true);
  });
  test('the ports of one bus are one resource', () => {
    const of = routes('gpu[3] = x  switch bus { ports = gpu[0..2]  link = shared(10GB/s + 2us) }', 3);
    expect(of(0, 1)?.channel).toBe(of(2, 1)?.channel);
    expect(of(0, 1)?.hops).toBeUndefined();
  });
  test('a fast way over several hops goes before a slow link of all', () => {
    const links = 'link gpu[0] -- gpu[2] = 150GB/s + 2us  link gpu[2] -- gpu[1] = 150GB/s + 2us';
    expect(routes(`gpu[3] = x  link = 12GB/s + 6us  ${links}`, 2)(0, 1)).toMatchObject({
      bandwidth: 150e9,
      latency: 4e-6,
    });
    expect(routes(`gpu[3] = x  link = 300GB/s + 1us  ${links}`, 2)(0, 1)).toMatchObject({ bandwidth: 300e9 });
    // A link that is named for the two is what the file says of them.
    expect(routes(`gpu[3] = x  link gpu[0] -- gpu[1] = 1GB/s  ${links}`, 2)(0, 1)).toMatchObject({ bandwidth: 1e9 });
  });
  test('mistakes', () => {
    checkFindings(text('gpu[2] = x  link = 1GB/s  switch s { ⟦key/unknown:prts⟧ = gpu[0]  link = 1GB/s }', 2));
    checkFindings(text('gpu[2] = x  link = 1GB/s  switch ⟦key/missing:s⟧ { ports = gpu[0..1] }', 2));
    checkFindings(text('gpu[2] = x  link = 1GB/s  switch ⟦key/missing:s⟧ { link = 1GB/s }', 2));
    checkFindings(text('gpu[2] = x  link = 1GB/s  switch s {}  switch ⟦name/duplicate:s⟧ {}', 2));
    checkFindings(text('gpu[2] = x  link = 1GB/s  switch spine {}  link gpu[0] -- ⟦name/unknown:spin⟧ = 1GB/s', 2));
    checkFindings(text('gpu[2] = x  switch s { ports = gpu[⟦value/range:0..2⟧]  link = 1GB/s }', 2));
    checkFindings(
      text('gpu[2] = x  switch s { ports = gpu[0]  link = 1GB/s }', 2).replace(
        'devices = k',
        'devices = ⟦device/unknown-route:k⟧',
      ),
    );
  });
});

interface Edge {
  readonly a: number;
  readonly b: number;
  readonly bandwidth: number;
  readonly latency: number;
}

/** Vertices 0 to 2 are devices, the others switches. */
function clusterOf(edges: readonly Edge[]): ClusterDefinition {
  const place = { uri: '', start: 0, end: 0 };
  const kind = {
    name: 'x',
    memory: 1,
    reserved: 0,
    bandwidth: 0,
    computeAt: {},
    efficiency: [{ least: 0, share: 1 }],
    efficiencyAt: {},
    memoryEfficiency: [{ least: 0, share: 1 }],
    launch: 0,
    memoryOverlap: 1,
    speed: 1,
    written: {
      compute: new Map(),
      efficiency: new Map(),
      memory_efficiency: new Map(),
      attention_efficiency: new Map(),
    },
    place,
    memoryPlace: place,
  };
  const named = new Map<number, Map<number, NamedLink>>();
  edges.forEach(({ a, b, bandwidth, latency }, id) => {
    const link: LinkDefinition = { id, bandwidth, latency, sharing: 'full', place };
    for (const [x, y] of [
      [a, b],
      [b, a],
    ]) {
      const links = named.get(x) ?? new Map<number, NamedLink>();
      if (!links.has(y)) links.set(y, { link, group: 0 });
      named.set(x, links);
    }
  });
  return {
    name: 'k',
    devices: [0, 1, 2].map((at) => ({ name: `gpu[${at}]`, kind, group: 0, place })),
    groups: [{ parent: -1, depth: 0, first: 0, end: 3 }],
    nodes: [],
    named,
    linkless: false,
  };
}

/** Seconds of the fastest of all simple ways, each tried. */
function fastestWay({ named }: ClusterDefinition, from: number, to: number, bytes: number): number {
  let best = Infinity;
  const walk = (at: number, seen: readonly number[], latency: number, bandwidth: number): void => {
    if (at === to) best = Math.min(best, latency + bytes / bandwidth);
    else
      for (const [next, { link }] of named.get(at) ?? [])
        if (!seen.includes(next))
          walk(next, [...seen, next], latency + link.latency, Math.min(bandwidth, link.bandwidth));
  };
  walk(from, [from], 0, Infinity);
  return best;
}

test('a route is the fastest of all ways, whatever the size', () => {
  const edge = fc.record({
    a: fc.nat(6),
    b: fc.nat(6),
    bandwidth: fc.integer({ min: 1, max: 8 }),
    latency: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 14 }), fc.integer({ min: 0, max: 60 }), (raw, bytes) => {
      const cluster = clusterOf(raw.filter(({ a, b }) => a !== b));
      if (cluster.named.get(0)?.has(1)) return;
      const route = routeBetween(cluster, 0, 1, bytes);
      const best = fastestWay(cluster, 0, 1, bytes);
      expect(route === undefined ? Infinity : route.latency + bytes / route.bandwidth).toBe(best);
      expect(route?.hops.reduce((sum, hop) => sum + hop.latency, 0)).toBe(route?.latency);
      expect(route?.hops.reduce((least, hop) => Math.min(least, hop.bandwidth), Infinity)).toBe(route?.bandwidth);
    }),
    { numRuns: 500 },
  );
});
