import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { isDnnPartitioning, readDnnPartitioning } from '../../../engine/formats/dnnPartitioning/read.ts';

// Figures of nodes 4 and 5 of GNMT as throughput-inputs/LayerGraphs/gnmt_training.json has them (MIT).
const nodes = [
  {
    name: 'node5',
    id: 5,
    supportedOnFpga: 1,
    cpuLatency: 1,
    fpgaLatency: 14.126,
    isBackwardNode: 0,
    colorClass: 5,
    size: 93388800,
  },
  {
    name: 'node4',
    id: 4,
    supportedOnFpga: 1,
    cpuLatency: 1,
    fpgaLatency: 0.14,
    isBackwardNode: 0,
    colorClass: 4,
    size: 145489920,
  },
  {
    name: 'node4grad',
    id: 98,
    supportedOnFpga: 1,
    cpuLatency: 1,
    fpgaLatency: 25.538,
    isBackwardNode: true,
    colorClass: 4,
    size: 145489920,
  },
  {
    name: 'node5grad',
    id: 99,
    supportedOnFpga: 1,
    cpuLatency: 1,
    fpgaLatency: 0.019,
    isBackwardNode: true,
    colorClass: 5,
    size: 93388800,
  },
];
const edges = [
  { sourceId: 4, destId: 5, cost: 0.0061, size: 13107200 },
  { sourceId: 98, destId: 99, cost: 0.0061, size: 26214400 },
];
const file = (changes: { nodes?: readonly unknown[]; edges?: readonly unknown[] } = {}) =>
  JSON.stringify({ maxSizePerFPGA: 1, maxFPGAs: 6, maxCPUs: 1, nodes, edges, ...changes });

describe('graphs of dnn-partitioning', () => {
  test('forward and backward nodes are one layer; weights are what PipeDream measured', () => {
    const read = readDnnPartitioning(file());
    if ('faults' in read) throw new Error(read.faults[0].message);
    // The profile of GNMT has 132,382,720 and 67,174,400 bytes of parameters for these nodes.
    expect(read.layers).toMatchObject([
      {
        name: 'node4',
        forward: 0.14 / 1000,
        backward: 25.538e-3,
        weights: 132382720,
        activation: 13107200,
        output: 13107200,
        after: [],
      },
      { name: 'node5', backward: 0.019e-3, weights: 67174400, output: 26214400, after: [0] },
    ]);
    expect(isDnnPartitioning(file())).toBe(true);
    expect(isDnnPartitioning('{"model_type": "gpt2"}')).toBe(false);
  });

  test('without backward nodes it says so', () => {
    const read = readDnnPartitioning(file({ nodes: nodes.slice(0, 2), edges: edges.slice(0, 1) }));
    expect('faults' in read ? [] : read.layers.map((layer) => layer.backward)).toEqual([0, 0]);
    expect('faults' in read ? '' : read.remarks.join()).toContain('no backward nodes');
  });

  test.each([
    ['{', ''],
    ['{"nodes": 3, "edges": []}', 'needs `nodes`'],
    [file({ nodes: [...nodes, nodes[0]] }), 'second time'],
    [file({ nodes: nodes.slice(1) }), 'no forward nodes in its colour class'],
    [file({ nodes: nodes.map((node) => ({ ...node, colorClass: 4 })) }), 'several forward nodes'],
    [file({ nodes: nodes.map((node) => ({ ...node, supportedOnFpga: 0 })) }), 'CPU only'],
    [
      file({ nodes: nodes.map((node) => ({ ...node, fpgaLatency: -1 })) }),
      '`fpgaLatency` must be a number that is not negative',
    ],
    [file({ edges: [{ sourceId: 4, destId: 7, size: 1 }] }), 'at a node that the file does not define'],
    [file({ edges: [{ sourceId: 4, destId: 5 }] }), '`size` is missing'],
    [file({ edges: [...edges, { sourceId: 5, destId: 4, size: 1 }] }), 'cycle'],
  ])('fault %#', (text, message) => {
    const read = readDnnPartitioning(text);
    expect('faults' in read ? read.faults.map((fault) => fault.message).join() : '').toContain(message);
    expect('faults' in read).toBe(true);
  });

  test('any JSON is read or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(fc.jsonValue()).map((some) => file({ nodes: some })),
        ),
        (text) => {
          const read = readDnnPartitioning(text);
          return 'faults' in read ? read.faults.length > 0 : read.layers.length > 0;
        },
      ),
    );
  });
});
