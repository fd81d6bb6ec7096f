import { expect, it } from 'vitest';
import { newPipelineSteps } from '../../../engine/fixes/newPipeline.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { publishedModels } from '../../../engine/formats/huggingFace/publishedModels.ts';
import { type Again, apply } from '../../../engine/fixes/proposal.ts';
import { analyse as checked } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';

const newPipeline = (analysis: ReturnType<Again>, again: Again) => toEnd(newPipelineSteps(analysis, again));

/** Adds a pipeline to a text, and checks that it runs and breaks nothing. */
function added(text: string) {
  let trials = 0;
  const earlier = checked(text);
  // As hosts do: what a trial shares with the file is not read again.
  const found = newPipeline(earlier, (changed) => {
    trials += 1;
    return checked(changed, { earlier });
  });
  if (found === undefined) return undefined;
  const edit = found.edits[found.edits.length - 1];
  expect([edit.start, edit.end]).toEqual([text.length, text.length]);
  const changed = checked(apply(text, found.edits));
  expect(changed.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [evaluation, ...others] = changed.pipelines;
  expect(others).toEqual([]);
  expect(evaluation.run).toBeDefined();
  return { ...found, edit, trials, evaluation, plan: evaluation.plan };
}

const toy = 'model toy {\n  layer block[8] { forward = 4ms  backward = 8ms  output = 256KiB }\n}\n';
const v100 = 'device v100 { memory = 16GiB }\n';
const box = 'cluster box {\n  gpu[4] = v100\n  link   = 25GB/s + 5us\n}\n';

it('runs the model of the file on all devices of its cluster', () => {
  const found = added(`${toy}\n${v100}\n${box}`);
  expect(found?.title).toBe('Add a pipeline of toy on box');
  expect(found?.assumptions).toEqual([]);
  expect(found?.edit.text).toBe(`
pipeline train {
  model        = toy
  devices      = box
  microbatches = 8
  stages       = balance(4)
  schedule     = 1f1b
}
`);
});

it('takes the param for microbatches, the schedule and the line ends of the file, and a name that is free', () => {
  const mine = 'schedule mine { order = greedy(prefer = [B, F])  in_flight(s) = stages - s }\n';
  const text = `${toy}${v100}${box}${mine}param microbatches = 6 in 1..64\nlet train = 3\n`.replaceAll('\n', '\r\n');
  const found = added(text);
  expect(found?.plan).toMatchObject({ name: 'train2', microbatches: 6, schedule: { name: 'mine' } });
  expect(found?.edit.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});

const trained = 'There is no optimizer: the pipeline takes adam_mixed.';

it.each([
  [toy, ['There is no cluster: the pipeline takes dgx_h100 from std:clusters.']],
  [toy + v100, ['There is no cluster: the pipeline takes four v100 with links of 25 GB/s.']],
  [v100 + box, ['There is no model: the pipeline takes eight equal layers with a forward of 4 ms.']],
  ['import "std:clusters"\n', ['There is no model: the pipeline takes gpt2 from std:models.', trained]],
  ['import { llama3_8b } from "std:models"\nimport { dgx_h100 } from "std:clusters"\n', [trained]],
  [
    'let a = 4ms\n',
    [
      'There is no model: the pipeline takes gpt2 from std:models.',
      'There is no cluster: the pipeline takes dgx_h100 from std:clusters.',
      trained,
    ],
  ],
])('says what it assumes for %j', (text, assumptions) => {
  expect(added(text)?.assumptions).toEqual(assumptions);
});

it.each([
  ['bf16', 'adam_mixed', 2],
  ['fp32', 'adam', 4],
])('counts optimizer state for a model in %s, 16 bytes for each parameter in all', (precision, optimizer, bytes) => {
  const text = `import { gpt2 } from "std:models"
import { dgx_h100 } from "std:clusters"
model mine { from = gpt2  precision = ${precision} }
`;
  const found = added(text);
  expect(found?.edit.text).toContain(`\n  optimizer    = ${optimizer}(shard = zero1)\n}`);
  const { stages = [], data = 0 } = found?.plan ?? {};
  expect(stages.length).toBeGreaterThan(0);
  for (const { weights, gradients, optimizer: state } of stages)
    expect(weights + gradients + data * state).toBeCloseTo((weights / bytes) * 16, 0);
});

it('says that no state is counted where no optimizer can be planned', () => {
  const text = `${toy.replace('output', 'weights = 64MiB  output')}${v100}${box}`;
  const found = newPipeline(checked(text), (changed) => checked(changed.includes('optimizer') ? text : changed));
  expect(found?.edits[0].text).not.toContain('optimizer');
  expect(found?.assumptions).toEqual(['There is no optimizer: memory holds no optimizer state.']);
});

it('prefers what the file declares to what it imports', () => {
  const text = `import { llama3_8b } from "std:models"\nmodel mine { from = llama3_8b  sequence = 4096 }\n`;
  expect(newPipeline(checked(text), checked)?.title).toContain('of mine on');
});

it('runs and breaks nothing, whatever the file declares', () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 24 }),
      fc.subarray([toy, v100, 'param microbatches = 5 in 1..9\n', '// a comment', 'let x = 2\n'], { minLength: 1 }),
      (layers, devices, parts) => {
        const cluster = parts.includes(v100) ? box.replace('gpu[4]', `gpu[${devices}]`) : '';
        const text = [...parts, cluster].join('\n').replace('block[8]', `block[${layers}]`);
        const plan = added(text)?.plan;
        if (plan !== undefined) found += 1;
        if (parts.includes(toy) && cluster !== '')
          expect(plan?.stages.length).toBeGreaterThan(Math.min(layers, devices, 16) / 2);
      },
    ),
    { numRuns: 15 },
  );
  expect(found).toBeGreaterThan(0);
});

/** Peak of the fullest device as a share of its memory. */
const fullness = (found: ReturnType<typeof added>): number =>
  Math.max(...(found?.evaluation.run?.report.devices.map(({ peak, capacity }) => peak / capacity) ?? []));

/** Every third one, and the largest with experts. */
const models = publishedModels.flatMap(({ name }, at) => (at % 3 === 0 || name === 'deepseek_v3' ? [name] : []));
const machines = ['dgx_b200', 'dgx_h100', 'dgx_a100', 'p4d', 'dgx1_v100'];

it.each(models.map((model, index) => [machines[index % machines.length], model]))(
  'fits on as many nodes of %s as %s needs, after a bounded number of simulations',
  (cluster, model) => {
    const found = added(`import { ${model} } from "std:models"\nimport { ${cluster} } from "std:clusters"\n`);
    expect(fullness(found)).toBeLessThanOrEqual(1);
    expect(found?.evaluation.findings.map(({ code }) => code)).not.toContain('memory/out-of-memory');
    expect(found?.trials).toBeLessThan(64);
    const { tensor, data, schedule } = found?.plan ?? {};
    expect([1, 2, 4, 8]).toContain(tensor);
    expect(found?.edit.text.includes('sequence_parallel = true')).toBe(tensor !== 1);
    expect(schedule).toMatchObject({ name: expect.stringMatching(/^(interleaved_)?1f1b$/) });
    expect(found?.edit.text).toContain((data ?? 1) > 1 ? 'adam_mixed(shard = zero1)' : 'adam_mixed\n');
  },
);

it.each(['llama3_1_405b', 'deepseek_v3'])('says in the title how many nodes %s needs, and gives them', (model) => {
  const text = `import { ${model} } from "std:models"\nimport { dgx_h100 } from "std:clusters"\n`;
  const found = added(text);
  const nodes = Number(/^Add a pipeline of \w+ on dgx_h100, which needs (\d+) nodes$/.exec(found?.title ?? '')?.[1]);
  expect(apply(text, found?.edits ?? [])).toContain(
    `import { dgx_h100 } from "std:clusters" with { nodes = ${nodes} }`,
  );
  const { tensor = 0, data = 0, devices = [] } = found?.plan ?? {};
  expect(tensor * data * devices.length).toBe(8 * nodes);
});

const nodesOf = (count: string) => `import { h100 } from "std:hardware"
import { llama3_70b } from "std:models"
cluster mine {
  node[${count}] { gpu[8] = h100  link = 370GB/s + 3us }
  link = 50GB/s + 5us
}
`;

it('gives a cluster of the file the nodes that it needs, and no cluster more than that', () => {
  const grown = added(nodesOf('1'));
  expect(grown?.title).toBe('Add a pipeline of llama3_70b on mine, which needs 2 nodes');
  expect(apply(nodesOf('1'), grown?.edits ?? [])).toContain('\n  node[2] { gpu[8]');
  const enough = added(nodesOf('8'));
  expect(enough?.title).toBe('Add a pipeline of llama3_70b on mine');
  expect(enough?.edits).toHaveLength(1);
});

it('takes the nodes that an import sets already, or others there', () => {
  const text = 'import { llama3_70b } from "std:models"\nimport { dgx_h100 } from "std:clusters" with { nodes = 1 }\n';
  const found = added(text);
  expect(apply(text, found?.edits ?? [])).toContain('"std:clusters" with { nodes = 2 }\n');
});

it('gives nodes to the cluster that it adds', () => {
  const found = added('import { llama3_1_405b } from "std:models"\n');
  expect(found?.title).toBe('Add a pipeline of llama3_1_405b on dgx_h100, which needs 16 nodes');
  expect(found?.edit.text).toContain('import { dgx_h100 } from "std:clusters" with { nodes = 16 }\n');
});

it('says what does not fit where a cluster cannot have more nodes', () => {
  const text = `import { llama3_70b } from "std:models"\nimport { h100 } from "std:hardware"
cluster two { gpu[2] = h100  link = 370GB/s + 3us }\n`;
  const found = newPipeline(checked(text), checked);
  expect(found?.assumptions.at(-1)).toMatch(
    /^No ranks were found that fit: gpu\[\d\] needs \d+ GiB of its 77\.1 GiB\.$/,
  );
});

it('gives none where no pipeline can be planned', () => {
  expect(newPipeline(checked(toy), () => checked(''))).toBeUndefined();
});
