/** A `.pipe` file may name any path, and findings end in logs that others read: they never repeat what such a file holds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { a100, gb300, h200 } from './systems/files.ts';
import { readCallTable } from '../../../engine/formats/callTable.ts';
import type { TextFault } from '../../../engine/formats/fault.ts';
import { readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import { readProfile } from '../../../engine/formats/profile.ts';
import { readSystem } from '../../../engine/formats/system.ts';
import { readYaml } from '../../../engine/formats/yaml/read.ts';

const secrets = ['hunter2', '"hunter2"', '-86753090', '0.86753090', '| hunter2', '[*hunter2'];
const holdsSecret = (message: string): boolean => /hunter2|86753090/.test(message);

type Read = (text: string) => object | { readonly faults: readonly TextFault[] };
const faultsOf = (read: Read, text: string): readonly TextFault[] => {
  const answer = read(text);
  return 'faults' in answer ? answer.faults : [];
};

const yaml: Read = (text) => {
  const read = readYaml(text);
  return 'fault' in read ? { faults: [read.fault] } : {};
};

const pipedream = readFileSync(join(import.meta.dirname, '../../data/pipedream/alexnet.graph.txt'), 'utf8').replace(
  /^(?:.*\n){12}/,
  '',
);
const dnn = {
  nodes: [
    { name: 'a', id: 5, supportedOnFpga: 1, fpgaLatency: 14.1, isBackwardNode: 0, colorClass: 5, size: 93 },
    { name: 'b', id: 4, supportedOnFpga: 1, fpgaLatency: 0.14, isBackwardNode: 0, colorClass: 4, size: 14 },
    { name: 'c', id: 98, supportedOnFpga: 1, fpgaLatency: 25.5, isBackwardNode: true, colorClass: 4, size: 14 },
    { name: 'd', id: 99, supportedOnFpga: 1, fpgaLatency: 25.5, isBackwardNode: true, colorClass: 5, size: 14 },
  ],
  edges: [
    { sourceId: 4, destId: 5, size: 7 },
    { sourceId: 5, destId: 99, size: 7 },
    { sourceId: 99, destId: 98, size: 7 },
  ],
};
const llama = {
  ...{ architectures: ['LlamaForCausalLM'], model_type: 'llama', torch_dtype: 'bfloat16', hidden_size: 64 },
  ...{ num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 2, intermediate_size: 128, vocab_size: 100 },
};
const vision = {
  ...{ ...llama, model_type: 'qwen2_vl', architectures: ['Qwen2VLForConditionalGeneration'] },
  vision_config: { depth: 2, embed_dim: 64, num_heads: 4, patch_size: 14, spatial_merge_size: 2, mlp_ratio: 4 },
};

test.each<[string, Read, string]>([
  ['a table', readCallTable, 'bytes,seconds\n1024, 1e-5\n2048; 2e-5\n4096 3e-5\n'],
  ['a system of Calculon', readSystem, JSON.stringify(a100, undefined, 1)],
  ['a system of aiconfigurator', readSystem, h200],
  ['a system with racks', readSystem, gb300],
  ['YAML', yaml, 'a: {b: [1, 2], c: "x"}\n- 2\nd: |\n  text\n? e\n: f\n'],
  ['a profile of PipeDream', readProfile, pipedream],
  [
    'a workload of ASTRA-sim',
    readProfile,
    'DATA\n2\na -1 1 NONE 0 1 NONE 0 3 ALLREDUCE 37 3\nb -1 1 NONE 0 1 NONE 0 3 ALLREDUCE 37 3\n',
  ],
  [
    'a table of layer times',
    readProfile,
    'layer,forward,backward,weights,output\na,1ms,2ms,3MiB,4\nb,1.5,2us,3,4\n"c",1,2,3,4\n',
  ],
  ['a graph of dnn-partitioning', readProfile, JSON.stringify(dnn, undefined, 1)],
  ['a configuration', readConfiguration, JSON.stringify(llama, undefined, 1)],
  ['a configuration with a tower', readConfiguration, JSON.stringify(vision, undefined, 1)],
])('no fault of %s repeats a word of it', (_, read, text) => {
  const told: string[] = [];
  let faulty = 0;
  // Each word of the file is the secret in turn, and the file goes on or ends there.
  for (const secret of secrets) {
    for (const { 0: word, index } of text.matchAll(/[\w.+-]+|\n/g)) {
      for (const damaged of [
        text.slice(0, index) + secret + text.slice(index + word.length),
        text.slice(0, index) + secret,
      ]) {
        const faults = faultsOf(read, damaged);
        faulty += Number(faults.length > 0);
        told.push(...faults.map(({ message }) => message).filter(holdsSecret));
      }
    }
  }
  expect([...new Set(told)]).toEqual([]);
  expect(faulty).toBeGreaterThan(50);
});

test.each([readCallTable, readSystem, readProfile, readConfiguration] as readonly Read[])(
  'no fault of a foreign file repeats its words: %o',
  (read) => {
    for (const text of [
      'TOKEN=hunter2\n',
      'hunter2',
      '{"hunter2": "hunter2"',
      'hunter2: hunter2: 3\n\thunter2',
      '[86753090]',
      '\0hunter2',
    ]) {
      const faults = faultsOf(read, text);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.map(({ message }) => message).filter(holdsSecret)).toEqual([]);
    }
  },
);
