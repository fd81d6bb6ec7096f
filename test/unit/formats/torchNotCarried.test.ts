import { expect, it } from 'vitest';
import { notCarried } from '../../../engine/formats/torchCsv/notCarried.ts';
import { analyse } from '../../support/analyse.ts';

function notesOf(pipeline: string): string {
  const text = `model net { sequence = 256  layer block[4] = transformer(hidden = 256, heads = 8, experts = 4, experts_per_token = 1) }
device card { memory = 80GiB  compute = 100TFLOPS }
cluster pod { gpu[16] = card  link = 25GB/s }
pipeline train { model = net  devices = pod  microbatches = 4  schedule = 1f1b  ${pipeline} }`;
  const [{ plan, run }] = analyse(text).pipelines;
  if (run === undefined) throw new Error('does not run');
  return notCarried(plan, run.program).join('\n');
}

it('names every kind of rank, and those of each unlike stage', () => {
  expect(notesOf('stages = balance(2)')).not.toContain('share the work');
  expect(notesOf('stages = balance(2)  context = 2')).toContain('share the work (context 2: 2 devices)');
  expect(notesOf('stages = balance(2)  data = 4  expert = 2')).toContain('(data 4: 4 devices, expert ranks 2)');
  const unlike = 'stage a { layers = block[0..1]  tensor = 4 }  stage b { layers = block[2..3]  data = 2 }';
  expect(notesOf(unlike)).toContain('(tensor 4: 4 devices and data 2: 2 devices)');
});

it('names sharded weights, blocking transfers and what follows the last backward', () => {
  const plain = notesOf('stages = balance(2)');
  for (const part of ['sharding', 'blocking', 'exchange of gradients']) expect(plain).not.toContain(part);
  const all = notesOf(
    'stages = balance(2)  data = 2  optimizer = adam(shard = fsdp, over = 1)  transfer = rendezvous(batched = true)',
  );
  expect(all).toContain('blocking of sends and receives');
  expect(all).toContain('exchange of gradients');
  expect(notesOf('stages = balance(2)  data = 2  optimizer = adam(shard = fsdp)')).toContain('fully_shard');
});
