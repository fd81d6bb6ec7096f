/** Rings and trees of ranks whose pipeline names no collective, by closed forms and by bus bandwidths that others have measured. */
import { describe, expect, test } from 'vitest';
import { collectiveTime } from '../../../../engine/costs/collectives.ts';
import type { Ring } from '../../../../engine/costs/types.ts';
import type { ClusterDefinition } from '../../../../engine/definitions/cluster.ts';
import type { Groups } from '../../../../engine/network/collectives/rings.ts';
import { ringsAtOnce } from '../../../../engine/network/collectives/rings.ts';
import { usualRing } from '../../../../engine/network/collectives/usual.ts';
import { clusterOf, stdCluster } from '../routesClusters.ts';

const large = 64 * 1024 ** 2;
const all = ({ devices }: ClusterDefinition): Groups => [devices.map((_, device) => device)];
function ringOf(cluster: ClusterDefinition, groups = all(cluster)): Ring {
  const ring = usualRing(cluster, groups, large);
  if ('from' in ring) throw new Error(JSON.stringify(ring));
  return ring;
}
const timeOf = (cluster: ClusterDefinition, bytes: number, pattern: 'all_reduce' | 'all_gather' = 'all_reduce') =>
  collectiveTime({ pattern, bytes }, cluster.devices.length, ringOf(cluster));
/** As nccl-tests has it, GB/s. */
const busBandwidth = (cluster: ClusterDefinition, bytes: number): number =>
  ((2 * (cluster.devices.length - 1)) / cluster.devices.length / 1e9) * (bytes / timeOf(cluster, bytes));

describe('ranks of one node', () => {
  test('have one ring and no trees, whatever its links', () => {
    for (const cluster of [
      clusterOf('gpu[8] = x  link = 10GB/s + 10us'),
      clusterOf('node[1] { gpu[4] = x  link = 100GB/s + 5us  link gpu[0] -- gpu[1] = 300GB/s + 2us }'),
    ])
      expect(ringOf(cluster)).toEqual(ringsAtOnce(cluster, all(cluster), large));
  });
});

describe('ranks of several nodes', () => {
  const of = (nodes: number, gpus = 4): ClusterDefinition =>
    clusterOf(`node[${nodes}] { gpu[${gpus}] = x  link = 100GB/s + 5us }  link = 10GB/s + 20us`);
  test('a step between nodes is later than one inside, and a ring has N − 1 of these', () => {
    // 8 nodes of 4: of 31 steps, 24 inside. Four cards of a node.
    const { latency, bandwidth } = ringOf(of(8));
    expect(31 * latency).toBeCloseTo(24 * 5e-6 + 7 * 20e-6, 15);
    expect(bandwidth).toBe(40e9);
    expect(timeOf(of(8), 100e6, 'all_gather')).toBeCloseTo(260e-6 + ((31 / 32) * 100e6) / 40e9, 12);
  });
  test('few bytes go over trees: chains of 4 and 3 steps between 8 nodes, up and down', () => {
    expect(timeOf(of(8), 1e3)).toBeCloseTo(2 * (3 * 5e-6 + 3 * 20e-6) + 2e3 / (0.92 * 40e9), 15);
    // Not where all of them are gathered.
    expect(timeOf(of(8), 1e3, 'all_gather')).toBeCloseTo(260e-6 + ((31 / 32) * 1e3) / 40e9, 15);
    // Between 5 nodes as NCCL counts them: ⌊log₂5⌋ steps.
    expect(ringOf(of(5)).tree?.latency).toBeCloseTo(2 * (3 * 5e-6 + 2 * 20e-6), 15);
  });
  test('many bytes go around rings', () => {
    expect(timeOf(of(8), 1e9)).toBeCloseTo(520e-6 + ((2 * 31) / 32) * (1e9 / 40e9), 12);
  });
  test('over one card for a node, two nodes halve with trees what the card carries', () => {
    const shared = (nodes: number, inside = 100) =>
      clusterOf(
        `switch core {}  node[${nodes}] { gpu[8] = x  link = ${inside}GB/s  switch nic { ports = gpu[0..7]  link = 100GB/s }  link nic -- core = 10GB/s }`,
      );
    expect(ringOf(shared(2)).tree?.bandwidth).toBeCloseTo(0.92 * 20e9, 0);
    expect(timeOf(shared(2), 1e9)).toBeCloseTo(2e9 / (0.92 * 20e9), 9);
    expect(timeOf(shared(3), 1e9)).toBeCloseTo((2 * 23) / 24 / 10, 9);
    // Links inside are on the way of 7 of 8 bytes.
    const slow = clusterOf(
      'switch core {}  node[2] { gpu[8] = x  switch nic { ports = gpu[0..7]  link = 14GB/s }  link nic -- core = 10GB/s }',
    );
    expect(ringOf(slow).tree?.bandwidth).toBeCloseTo(0.92 * 16e9, 0);
  });
  test('go through each node once, in whatever order they are numbered', () => {
    expect(ringOf(of(2), [[0, 4, 1, 5, 2, 6, 3, 7]])).toEqual(ringOf(of(2)));
  });
  test('of groups that hold different numbers of ranks in nodes, trees take what a ring has', () => {
    const ring = ringOf(of(2), [[0, 1, 2, 4]]);
    expect(ring.tree?.bandwidth).toBeCloseTo(0.92 * ring.bandwidth, 0);
  });
});

describe('bus bandwidth of an all-reduce', () => {
  test.each<[name: string, nodes: number, bytes: number, simulated: number, measured: string]>([
    ['dgx_a100', 1, 8e9, 235, 'about 230 (NCCL, src/graph/tuning.cc has 235)'],
    ['dgx_a100', 2, 8e9, 188, '192 (NCCL issue 812)'],
    ['dgx_h100', 1, 8e9, 370, '370 without NVLink SHARP (nccl-tests issue 212), 476 with it'],
    ['dgx_h100', 8, 1e9, 352, '350 to 480, the latter with NVLink SHARP'],
    ['dgx_h100', 8, 8e9, 383, 'the same'],
  ])('%s, %i nodes, %d bytes: %d GB/s; measured %s', (name, nodes, bytes, simulated) => {
    expect(Math.round(busBandwidth(stdCluster(name, nodes), bytes))).toBe(simulated);
  });
});
