/** Launch commands start the processes of one machine: a rack on one NVLink network has several. */
import { describe, expect, test } from 'vitest';
import { exportDeepspeed } from '../../../engine/formats/deepspeed/export.ts';
import { launchOf } from '../../../engine/formats/launch.ts';
import { exportMegatron } from '../../../engine/formats/megatron/export/export.ts';
import { exportTorchtitan } from '../../../engine/formats/torchtitan/export.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';

const rack = 'import { gb200_nvl72 } from "std:clusters" with { racks = 2 }';
const own = (inside: string): string => `import { h100 } from "std:hardware"
cluster gb200_nvl72 { node[2] { gpu[72] = h100  link = 300GB/s  ${inside} }  link = 50GB/s }`;

const source = (cluster: string, ranks: string, optimizer = 'adamw'): string => `${cluster}
model m {
  sequence = 1024
  precision = bf16
  layer embed = embedding(vocab = 32000, hidden = 1024, dropout = false)
  layer block[6] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
  layer out = lm_head(vocab = 32000, hidden = 1024)
}
pipeline train {
  model = m
  devices = gb200_nvl72
  microbatches = 2
  ${ranks}
  schedule = 1f1b
  optimizer = ${optimizer}
}
`;

const written = (text: string) => {
  const { resolution, pipelines } = analyse(text);
  const [{ plan, run }] = pipelines;
  const launch = launchOf(resolution, plan);
  if (launch === undefined || run === undefined) throw new Error('There is no run.');
  return { launch, program: run.program };
};

const started = (made: { readonly text: string } | { readonly problem: string }): readonly (string | undefined)[] => {
  if ('problem' in made) throw new Error(made.problem);
  return /--nnodes (\d+) --nproc-per-node (\d+)/.exec(made.text)?.slice(1, 3) ?? [];
};

describe('a rack of 18 machines with four GPUs', () => {
  test('Megatron-LM, torchtitan and DeepSpeed start four processes on each', () => {
    // Two racks of 72 are 36 machines.
    const text = source(rack, 'data = 36  stages = balance(4)');
    const { launch, program } = written(text);
    expect(started(exportMegatron(launch))).toEqual(['36', '4']);
    expect(started(exportTorchtitan(launch, program))).toEqual(['36', '4']);
    const bf16 = written(source(rack, 'data = 36  stages = balance(4)', 'deepspeed_bf16(shard = zero1)'));
    expect(started(exportDeepspeed(bf16.launch))).toEqual(['36', '4']);
  });

  test('a node is the whole rack, for ranks that stay inside', () => {
    expect(resolveText(source(rack, 'data = 36  stages = balance(4)')).sizes.get('train')).toMatchObject({
      perNode: 72,
      perHost: 4,
    });
  });
});

describe('clusters of a file', () => {
  test.each([
    ['hosts = 9', 'data = 36  stages = balance(4)', ['18', '8']],
    ['', 'data = 36  stages = balance(4)', ['2', '72']],
    ['hosts = 18', 'stages = balance(2)', ['1', '2']],
  ])('%s, %s', (inside, ranks, expected) => {
    expect(started(exportMegatron(written(source(own(inside), ranks)).launch))).toEqual(expected);
  });

  test('without nodes', () => {
    const flat =
      'import { h100 } from "std:hardware"\ncluster gb200_nvl72 { gpu[16] = h100  link = 300GB/s  hosts = 4 }';
    expect(started(exportMegatron(written(source(flat, 'data = 4  stages = balance(4)')).launch))).toEqual(['4', '4']);
  });

  test('hosts share devices evenly', () => {
    const { findings } = resolveText(source(own('hosts = 7'), 'stages = balance(2)'));
    expect(findings.map(({ message }) => message)).toContain(
      'The number of hosts is 7; it must be a number that divides 72, the devices that they share.',
    );
  });
});
