import { expect, it } from 'vitest';
import { analyse } from '../../../support/analyse.ts';

const imports = 'import { llama3_8b } from "std:models"\nimport { dgx_h100 } from "std:clusters"\n';
const found = (text: string) =>
  analyse(`${imports}pipeline train {${text}}`).findings.map(({ code, message }) => `${code}: ${message}`);

it('a pipeline is told all keys that it lacks at once, and to remove none of the imports that it needs', () => {
  expect(found('')).toEqual([
    'key/missing: This pipeline needs "model", "devices", "microbatches", "stages" and "schedule", for example `model = toy`, `devices = box`, `microbatches = 8`, `stages = balance(4)` and `schedule = 1f1b`.',
  ]);
  expect(found('model = llama3_8b  global_batch = 8')).toEqual([
    'key/missing: This pipeline needs "devices", "stages" and "schedule", for example `devices = box`, `stages = balance(4)` and `schedule = 1f1b`.',
  ]);
});

it('stages are not asked for where the schedule may group the layers, or where they are blocks', () => {
  for (const keys of ['schedule = 1f1b', 'stage first { layers = all }'])
    expect(found(`${keys}  microbatches = 8`).find((text) => text.startsWith('key/missing'))).not.toContain('"stages"');
});

it('an import that nothing uses is a hint where the pipeline has its model and devices', () => {
  const other = `import { gpt2 } from "std:models"\n`;
  const { findings } = analyse(
    `${other}${imports}pipeline train { model = llama3_8b  devices = dgx_h100  microbatches = 8 }`,
  );
  expect(findings.map(({ code }) => code)).toEqual(['name/unused', 'key/missing']);
});

it('an import is no hint while a pipeline names its model wrongly', () => {
  expect(found('model = llama3-8b  devices = dgx_h100').join()).not.toContain('name/unused');
});
