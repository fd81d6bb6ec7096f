import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { hostOf, refusedFiles } from '../../support/host.ts';
import { runOf } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const folder = join(process.env['PIPEWRIGHT_DATA'] ?? resolve(import.meta.dirname, '../../data'), 'pipedream');
const fileText = (name: string): string => readFileSync(join(folder, `${name}.graph.txt`), 'utf8');

const figures = (forward: number) =>
  `forward_compute_time=${forward}, backward_compute_time=${2 * forward}, activation_size=1024, parameter_size=4096`;
/** A diamond whose nodes stand in any order: a → b → d, a → c → d. */
const diamond = [
  `d -- Add -- ${figures(4)}`,
  `b.1 -- Linear(1, 2) -- ${figures(2)}`,
  `a -- Input -- ${figures(1)}`,
  `b_1 -- Linear(3, 4) -- ${figures(3)}`,
  '\ta -- b.1',
  '\ta -- b_1',
  '\tb.1 -- d',
  '\tb_1 -- d',
].join('\n');
const around = (model: string, more = '') => `${model}
device v100 { memory = 16GiB }
cluster box { gpu[2] = v100  link = 25GB/s }
pipeline train { model = m  devices = box  microbatches = 4  schedule = 1f1b  ${more} }
`;
const files = { 'diamond.txt': diamond };

describe('from = profile(…)', () => {
  test('gives layers with their needs, in an order that can be cut', () => {
    const { plan, findings, imports, symbols } = checkFindings(
      around('model m { from = profile("diamond.txt") }', 'stages = balance(2)'),
      [],
      { files },
    );
    expect(findings).toEqual([]);
    expect(imports).toEqual(['file:///project/diamond.txt']);
    const { stages, edges } = plan.pipelines[0];
    expect(stages.flatMap((stage) => stage.layers).sort()).toEqual(['a', 'b_1', 'b_1_2', 'd']);
    // The input takes no time: 6 + 9 | 12, or 6 | 9 + 12, and the more even one is taken.
    expect(stages.map((stage) => stage.forward * 1000).map(Math.round)).toEqual([5, 4]);
    expect(edges).toEqual([{ from: 0, to: 1, bytes: 2048 }]);
    // 32-bit numbers unless the model says otherwise.
    expect(stages.reduce((sum, stage) => sum + stage.parameters, 0)).toBe((4 * 4096) / 4);
    expect(symbols.symbols.get('layer:m/d')).toMatchObject({
      declaration: { uri: 'file:///project/diamond.txt', start: 0 },
      foreign: true,
      detail: 'Add, forward 4 ms, backward 8 ms',
    });
  });

  test('its layers can be named in stages, and its precision overruled', () => {
    const { plan } = checkFindings(
      around(
        'model m { from = profile("diamond.txt")  precision = bf16  micro_batch = 3 }',
        'stage first { layers = a, b_1, b_1_2 }  stage second { layers = d }',
      ),
      [],
      { files },
    );
    expect(plan.pipelines[0].stages[0].layers).toEqual(['a', 'b_1', 'b_1_2']);
    expect(plan.pipelines[0].stages[0].parameters).toBe((3 * 4096) / 2);
    expect(plan.pipelines[0].microBatchSize).toBe(3);
    checkFindings(
      around(
        'model m { from = profile("diamond.txt") }',
        'stage first { layers = a, ⟦name/unknown:b_2⟧ }  stage second { layers = b_1_2, d }',
      ),
      ['b_1'],
      { files },
    );
    checkFindings(
      around(
        'model m { from = profile("diamond.txt")  ⟦key/not-applicable:layer⟧ x { forward = 1ms  backward = 1ms } }',
        'stages = balance(2)',
      ),
      ['another file'],
      { files },
    );
  });

  test('a file that is not there or may not be read; what follows from it is no second mistake', () => {
    const of = (path: string) =>
      around(`model m { from = profile(${path}) }`, 'stage first { layers = a }  stage second { layers = b }');
    checkFindings(of('⟦import/not-found:"no.txt"⟧'), ['"no.txt"']);
    checkFindings(of('⟦import/outside-workspace:"outside.pipe"⟧'), [], { files: refusedFiles });
    checkFindings(of('⟦import/unreadable:"locked.pipe"⟧'), ['permission denied'], { files: refusedFiles });
    expect(resolveText(of('"no.txt"')).imports).toEqual(['file:///project/no.txt']);
  });

  test('a damaged file is told at its line and column', () => {
    const broken = diamond.replace('\ta -- b_1', '\ta -- gone');
    const { findings } = checkFindings(
      around('model m { from = profile(⟦import/unreadable:"broken.txt"⟧) }', 'stages = balance(2)'),
      ['line 6, column 7: The profile does not define this node'],
      { files: { 'broken.txt': broken } },
    );
    const [related] = findings[0].related;
    expect(related.place.uri).toBe('file:///project/broken.txt');
    expect(broken.slice(related.place.start, related.place.end)).toBe('gone');
  });

  test('what stands in the place of a profile', () => {
    checkFindings('model m { from = ⟦type/mismatch:3⟧ }', ['profile("FILE")']);
    checkFindings('model m { from = ⟦type/mismatch:profile⟧ }', ['profile("FILE")']);
    checkFindings('model m { from = ⟦name/unknown:profil⟧("graph.txt") }', ['profile']);
    checkFindings('model m { from = ⟦key/missing:profile⟧() }', ['file']);
    checkFindings('model m { from = profile(⟦type/mismatch:4ms⟧) }', ['a path in quotes']);
    checkFindings('model m { from = profile("a", ⟦type/mismatch:"b"⟧) }');
    checkFindings('model m { from = profile(⟦key/unknown:path⟧ = "a") }');
  });

  test('limits', () => {
    const options = { ...defaultOptions, limits: { ...defaultOptions.limits, elements: 3 } };
    checkFindings('model m { from = ⟦limit/too-large:profile("diamond.txt")⟧ }', ['Layers of a model'], {
      files,
      options,
    });
    const small = { ...defaultOptions, limits: { ...defaultOptions.limits, fileSize: 100 } };
    checkFindings('model m { from = profile(⟦limit/too-large:"diamond.txt"⟧) }', ['Characters'], {
      files,
      options: small,
    });
  });

  test('a model with a profile is imported like any other', () => {
    const library = 'model m { from = profile("diamond.txt") }';
    const { plan, imports } = checkFindings(
      `import { m } from "library.pipe"\n${around('', 'stages = split(3, 1)')}`,
      [],
      {
        files: { ...files, 'library.pipe': library },
      },
    );
    expect(plan.pipelines).toHaveLength(1);
    expect(new Set(imports)).toEqual(new Set(['file:///project/library.pipe', 'file:///project/diamond.txt']));
  });
});

test.each(['vgg16', 'resnet50', 'gnmt', 'alexnet', 'resnet18'])('%s: `from` and `import` give one plan', (name) => {
  const made = importText(fileText(name));
  if (made === undefined || 'faults' in made) throw new Error('not imported');
  const rest = around('', 'stages = balance(2)');
  const quietPlan = (text: string) => {
    const { plan, findings } = resolveText(text, { host: hostOf({ 'graph.txt': fileText(name) }) });
    expect(findings.filter((finding) => finding.severity !== 'hint' && finding.code !== 'stage/imbalance')).toEqual([]);
    return plan.pipelines[0];
  };
  const from = quietPlan(`model m { from = profile("graph.txt") }${rest}`);
  const imported = quietPlan(made.pipe.replace('model imported', 'model m') + rest);
  expect(imported.edges).toEqual(from.edges);
  expect(imported.stages.map((stage) => stage.layers)).toEqual(from.stages.map((stage) => stage.layers));
  for (const [index, one] of imported.stages.entries()) {
    expect(one.forward).toBeCloseTo(from.stages[index].forward, 12);
    expect(one.backwardInput + one.backwardWeight).toBeCloseTo(
      from.stages[index].backwardInput + from.stages[index].backwardWeight,
      12,
    );
    expect([one.weights, one.activation]).toEqual([from.stages[index].weights, from.stages[index].activation]);
  }
});

test('an imported profile keeps the matrices of its fully connected layers, which `hybrid` sends as factors', () => {
  const text = fileText('alexnet');
  const read = importText(text);
  const imported = read !== undefined && 'pipe' in read ? read.pipe : '';
  expect(imported.match(/matrix += \[.*\]/g)).toEqual([
    expect.stringContaining('[9216, 4096]'),
    expect.stringContaining('[4096, 4096]'),
    expect.stringContaining('[4096, 1000]'),
  ]);
  const iteration = (model: string) =>
    runOf(
      `${model}
device v100 { memory = 16GiB }
cluster racks { gpu[16] = v100  link = 25Gb/s + 20us }
pipeline train {
  model = imported  devices = racks  data = 16  microbatches = 1  stages = balance(1)  schedule = 1f1b
  sync = hybrid  collective = ps(servers = 1)
}
`,
      { files: { 'alexnet.txt': text } },
    ).run.report.iteration;
  const direct = iteration('model imported { from = profile("alexnet.txt")  micro_batch = 128 }');
  expect(iteration(imported.replace('model imported {', 'model imported { micro_batch = 128 '))).toBeCloseTo(direct, 9);
});
