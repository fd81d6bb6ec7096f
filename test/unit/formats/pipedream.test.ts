import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { ProfileGraph } from '../../../engine/formats/pipedream/graph.ts';
import { layersOfProfile } from '../../../engine/formats/pipedream/layers.ts';
import { isProfile, readProfileGraph } from '../../../engine/formats/pipedream/read.ts';

const folder = join(process.env['PIPEWRIGHT_DATA'] ?? resolve(import.meta.dirname, '../../data'), 'pipedream');
const fileText = (name: string): string => readFileSync(join(folder, `${name}.graph.txt`), 'utf8');

function graphOf(text: string): ProfileGraph {
  const read = readProfileGraph(text);
  if ('faults' in read) throw new Error(read.faults.map((fault) => fault.message).join('\n'));
  return read;
}
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the profiles of PipeDream', () => {
  // Nodes, edges, ms forward, ms backward, MB of parameters; counted in the files by other means (a few lines of Python).
  test.each([
    ['vgg16', 41, 41, 251.874, 438.633, 553.43],
    ['resnet50', 177, 193, 201.45, 260.931, 102.228],
    ['gnmt', 48, 58, 33.533, 55.883, 775.064],
    ['alexnet', 23, 23, 680.703, 40.52, 244.403],
    ['resnet18', 71, 79, 581.071, 152.296, 46.758],
  ])('%s has its sums', (name, nodes, edges, forward, backward, parameters) => {
    const graph = graphOf(fileText(name));
    expect(graph.nodes).toHaveLength(nodes);
    expect(graph.edges).toBe(edges);
    expect(sum(graph.needs.map((need) => need.length))).toBe(edges);
    expect(sum(graph.nodes.map((profileNode) => profileNode.forward))).toBeCloseTo(forward, 6);
    expect(sum(graph.nodes.map((profileNode) => profileNode.backward))).toBeCloseTo(backward, 6);
    expect(sum(graph.nodes.map((profileNode) => profileNode.parameters)) / 1e6).toBeCloseTo(parameters, 3);
  });

  test('line ends do not matter', () => {
    const text = fileText('gnmt');
    const shape = (graph: ProfileGraph) => [graph.nodes.map(({ start: _s, end: _e, ...rest }) => rest), graph.needs];
    expect(shape(graphOf(text.replaceAll(/\r?\n/g, '\r\n')))).toEqual(shape(graphOf(text.replaceAll('\r\n', '\n'))));
  });

  test('an activation that is a list is summed', () => {
    const text = fileText('gnmt');
    const line = text.split('\n').find((name) => name.includes('activation_size=['));
    const list =
      /activation_size=\[([^\]]*)\]/
        .exec(line ?? '')?.[1]
        .split(';')
        .map(Number) ?? [];
    expect(list.length).toBeGreaterThan(1);
    const node = graphOf(text).nodes.find((profileNode) => profileNode.id === line?.split(' ')[0]);
    expect(node?.activation).toBe(sum(list));
  });

  test('the loading of data takes no time, and picks that nothing uses are left out', () => {
    const vgg = layersOfProfile(graphOf(fileText('vgg16')));
    expect(vgg.find((measuredLayer) => measuredLayer.description === 'Input')).toMatchObject({
      forward: 0,
      backward: 0,
    });
    expect(vgg).toHaveLength(41);
    const gnmt = graphOf(fileText('gnmt'));
    const used = new Set(gnmt.needs.flat());
    const sinks = gnmt.nodes.filter(
      (profileNode, index) => !used.has(index) && profileNode.description.startsWith('__getitem__'),
    );
    expect(sinks).toHaveLength(8);
    expect(layersOfProfile(gnmt)).toHaveLength(48 - 8);
  });

  // Narayanan et al., "PipeDream" (2019), section 3.1: a stage of m replicas takes max(compute, 4(m − 1)/m · |w|/B) / m; its own code adds
  // the two. On VGG-16, four machines and 1e9 bytes/s it plans 3 + 1 machines.
  test('the planner of PipeDream gives its own answer for VGG-16', () => {
    const layers = layersOfProfile(graphOf(fileText('vgg16')));
    const stage = (from: number, to: number, replicas: number): number => {
      const own = layers.slice(from, to);
      const compute = sum(own.map((measuredLayer) => measuredLayer.forward + (measuredLayer.backward ?? 0)));
      return (
        (compute + ((4 * (replicas - 1)) / replicas) * (sum(own.map((measuredLayer) => measuredLayer.weights)) / 1e9)) /
        replicas
      );
    };
    // The input is the first layer here and none of its states.
    expect(Math.max(stage(0, 16, 3), stage(16, 41, 1))).toBeCloseTo(0.175732624, 9);
    expect(stage(0, 41, 4)).toBeCloseTo(0.583206382, 9);
  });
});

const node = (
  id: string,
  more = '',
  figures = 'forward_compute_time=1, backward_compute_time=2, activation_size=3, parameter_size=4',
) => `${id} -- Op(a=1, b=2) -- ${figures}${more}`;

describe('what a file may look like', () => {
  test('loose numbers, other figures, blank lines, planned stages', () => {
    const { nodes } = graphOf(
      `${node('a', ' -- stage_id=3', 'forward_compute_time=0.01, backward_compute_time=0, activation_size=1e6, parameter_size=.5, other=x')}\n\n${node('b')}\n\ta -- b`,
    );
    expect(nodes[0]).toMatchObject({ forward: 0.01, backward: 0, activation: 1e6, parameters: 0.5, stage: 3 });
    expect(nodes[1]).toMatchObject({ description: 'Op(a=1, b=2)', forward: 1 });
    expect(nodes[1].stage).toBeUndefined();
  });
  test('a description may hold what separates fields', () => {
    expect(
      graphOf(
        'n -- Cat -- of(a -- b, c=1) -- forward_compute_time=1, backward_compute_time=2, activation_size=[1; 2], parameter_size=0',
      ).nodes[0],
    ).toMatchObject({
      description: 'Cat -- of(a -- b, c=1)',
      activation: 3,
    });
  });
  test('is told from other files', () => {
    expect(isProfile(fileText('vgg16'))).toBe(true);
    expect(isProfile('0F0,0F1\r\n1F0')).toBe(false);
    expect(isProfile('')).toBe(false);
  });
});

describe('faults', () => {
  const faultsOf = (text: string): readonly (readonly [string, string])[] => {
    const read = readProfileGraph(text);
    return 'faults' in read ? read.faults.map((fault) => [text.slice(fault.start, fault.end), fault.message]) : [];
  };
  test.each([
    ['', '', 'no nodes'],
    ['hello', 'hello', 'not a node of a profile'],
    [
      node('a', '', 'forward_compute_time=-1, backward_compute_time=2, activation_size=3, parameter_size=4'),
      '-1',
      'not negative',
    ],
    [
      node('a', '', 'forward_compute_time=nan, backward_compute_time=2, activation_size=3, parameter_size=4'),
      'nan',
      'must be a number',
    ],
    [
      node('a', '', 'forward_compute_time=1, backward_compute_time=2, activation_size=[1; x], parameter_size=4'),
      '[1; x]',
      'must be a number',
    ],
    [
      node('a', '', 'forward_compute_time=1e999, backward_compute_time=2, activation_size=1, parameter_size=4'),
      '1e999',
      'must be a number',
    ],
    [
      node('a', '', 'forward_compute_time=1, activation_size=1, parameter_size=4'),
      'forward_compute_time=1, activation_size=1, parameter_size=4',
      'no backward_compute_time',
    ],
    [node('a', '', 'forward_compute_time=1, forward_compute_time=1'), '1', 'twice'],
    [node('a', ' -- stage_id=x'), 'stage_id=x', 'not a stage'],
    [`${node('a')}\n${node('a')}`, node('a'), 'second time'],
    [`${node('a')}\n\ta -- zz`, 'zz', 'does not define this node'],
    [`${node('a')}\n\tzz -- a`, 'zz', 'does not define this node'],
    [`${node('a')}\n\ta`, '\ta', 'not an edge'],
    [`${node('a')}\n${node('b')}\n\ta -- b\n\ta -- b`, '\ta -- b', 'second time'],
    [`${node('a')}\n\ta -- a`, node('a'), 'cycle: lines 1 → 1'],
    [`${node('a')}\n${node('b')}\n${node('c')}\n\ta -- b\n\tb -- c\n\tc -- a`, node('a'), 'cycle: lines 1 → 2 → 3 → 1'],
  ])('%j', (text, place, message) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0][0].trim()).toBe(place.trim());
    expect(faults[0][1]).toContain(message);
  });

  test('any text gives a graph or a fault, and faults lie in the text', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\t', '\n', ' -- ', 'a', 'b', node('a'), node('b'), 'stage_id=1', '[', '='),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const read = readProfileGraph(text);
        if (!('faults' in read)) return read.nodes.length > 0;
        return (
          read.faults.length > 0 &&
          read.faults.every(({ start, end }) => start >= 0 && start <= end && end <= text.length)
        );
      }),
    );
  });
});

test('layers keep every need of any graph, each after those that it needs', () => {
  const graphs = fc.integer({ min: 2, max: 30 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      shuffle: fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: count, maxLength: count }),
      edges: fc.uniqueArray(
        fc.tuple(fc.nat(count - 1), fc.nat(count - 1)).filter(([a, b]) => a < b),
        { selector: ([a, b]) => a * count + b, maxLength: 60 },
      ),
    }),
  );
  fc.assert(
    fc.property(graphs, ({ count, shuffle, edges }) => {
      const order = Array.from({ length: count }, (_, index) => index).sort((a, b) => shuffle[a] - shuffle[b] || a - b);
      const text = [...order.map((value) => node(`n${value}`)), ...edges.map(([a, b]) => `\tn${a} -- n${b}`)].join(
        '\n',
      );
      const layers = layersOfProfile(graphOf(text));
      const needs = layers.flatMap((layer) => layer.after.map((other) => `${layers[other].name} ${layer.name}`)).sort();
      expect(needs).toEqual(edges.map(([a, b]) => `n${a} n${b}`).sort());
      expect(layers.every((layer, index) => layer.after.every((other) => other < index))).toBe(true);
    }),
  );
});
