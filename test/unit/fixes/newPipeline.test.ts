import { expect, it } from 'vitest';
import { check } from '../../../engine/flow/check.ts';
import { newPipeline } from '../../../engine/fixes/newPipeline.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { hostOf, uri } from '../../support/host.ts';
import * as fc from '../../support/property.ts';

const checked = (text: string) => check({ uri, text, host: hostOf(), options: defaultOptions });

/** Adds a pipeline to a text, and checks that it runs and breaks nothing. */
function added(text: string) {
  const found = newPipeline(checked(text), checked);
  if (found === undefined) return undefined;
  // Nothing that is written is lost.
  expect([found.edit.start, found.edit.end]).toEqual([text.length, text.length]);
  const changed = checked(apply(text, [found.edit]));
  expect(changed.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [evaluation, ...others] = changed.pipelines;
  expect(others).toEqual([]);
  expect(evaluation.run).toBeDefined();
  return { ...found, plan: evaluation.plan };
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
  expect(found?.edit.text).toContain(`\n  optimizer    = ${optimizer}\n}`);
  for (const { weights, gradients, optimizer: state } of found?.plan.stages ?? [])
    expect(weights + gradients + state).toBe((weights / bytes) * 16);
});

it('says that no state is counted where no optimizer can be planned', () => {
  const text = `${toy.replace('output', 'weights = 64MiB  output')}${v100}${box}`;
  const found = newPipeline(checked(text), (changed) => checked(changed.includes('optimizer') ? text : changed));
  expect(found?.edit.text).not.toContain('optimizer');
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
    { numRuns: 25 },
  );
  expect(found).toBeGreaterThan(0);
});

it('gives none where no pipeline can be planned', () => {
  expect(newPipeline(checked(toy), () => checked(''))).toBeUndefined();
});
