import * as fc from '../../support/property.ts';
import { meshText } from '../../../engine/costs/mesh.ts';
import { expect, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { wholeStages } from '../../../engine/costs/stages.ts';
import { planOf } from '../../support/resolve.ts';

const words = (plan: PipelinePlan): readonly string[] => plan.devices.map((device) => meshText(plan, device));

const file = (keys: string, stages: string) => `model gpt {
  sequence = 128  micro_batch = 4
  layer block[2] = transformer(hidden = 48, heads = 12)
}
device card { memory = 16GiB  compute = 100TFLOPS }
cluster box { gpu[64] = card  link = 100GB/s }
pipeline run { model = gpt  devices = box  microbatches = 4  schedule = 1f1b  ${keys}  ${stages} }`;

test('the ranks of a pipeline, and nothing where each is one device', () => {
  expect(words(planOf(file('', 'stages = balance(2)')))).toEqual(['', '']);
  expect(words(planOf(file('tensor = 4  data = 2', 'stages = balance(2)')))).toEqual([
    'tensor 4 × data 2: 8 devices',
    'tensor 4 × data 2: 8 devices',
  ]);
  expect(words(planOf(file('context = 2  data = 4', 'stages = balance(1)')))).toEqual([
    'context 2 × data 4: 8 devices',
  ]);
  const experts = file('data = 4  expert = 4', 'stages = balance(1)').replace(
    'heads = 12',
    'heads = 12, experts = 8, experts_per_token = 2',
  );
  expect(words(planOf(experts))).toEqual(['data 4: 4 devices, expert ranks 4']);
});

test('ranks of a stage of its own, even where these are as many devices as those of the pipeline', () => {
  const stages = 'stage a { layers = block[0] }  stage b { layers = block[1]  tensor = 2  data = 4 }';
  const plan = planOf(file('tensor = 4  data = 2', stages));
  expect(words(plan)).toEqual(['tensor 4 × data 2: 8 devices', 'tensor 2 × data 4: 8 devices']);
  expect(plan.devices.map((device) => device.mesh)).toEqual([undefined, { tensor: 2, context: 1, data: 4, expert: 1 }]);
});

test('replicas that share microbatches', () => {
  const stages = (replicas: number, mesh: string) =>
    `stage a { layers = block[0]  on = gpu[0..${2 * replicas - 1}]  replicate = split  ${mesh} }  stage b { layers = block[1]  on = gpu[60..61]  ${mesh} }`;
  expect(words(planOf(file('', stages(2, 'tensor = 2'))))).toEqual([
    'tensor 2 × 2 replicas: 4 devices',
    'tensor 2: 2 devices',
  ]);
});

test('the activations of a stage by part are all of them, whatever cuts or hands on microbatches', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        '1f1b',
        'gpipe',
        'seq1f1b(segments = 2)',
        'seq1f1b(segments = 4)',
        'torchgpipe(skip = relay)',
        'chimera(concat = backward_halving)',
        'chimera',
      ),
      fc.constantFrom('none', 'selective', 'full'),
      fc.constantFrom('', 'tensor = 2', 'tensor = 2  sequence_parallel = true', 'context = 2'),
      (schedule, recompute, ranks) => {
        const text = file(`recompute = ${recompute}  ${ranks}`, 'stages = balance(2)').replace('1f1b', schedule);
        const one = planOf(text);
        for (const stage of [...one.stages, ...wholeStages(one).map((whole) => whole.plan)]) {
          const parts = Object.values(stage.activationParts ?? { all: stage.activation });
          expect(parts.reduce((sum, size) => sum + size, 0)).toBeCloseTo(stage.activation, 3);
        }
      },
    ),
  );
});

test('what a stage only hands on is a part of its own', () => {
  const skipping = `model net {
  sequence = 1
  layer a { forward = 1ms  backward = 2ms  activation = 1MiB  output = 4MiB }
  layer b { forward = 1ms  backward = 2ms  activation = 1MiB  output = 1MiB  after = a }
  layer c { forward = 1ms  backward = 2ms  activation = 1MiB  output = 1MiB  after = [a, b] }
}
device card { memory = 16GiB }
cluster box { gpu[3] = card  link = 100GB/s }
pipeline run { model = net  devices = box  microbatches = 4  stages = split(1, 1, 1)  schedule = torchgpipe(checkpoint = never, skip = relay) }`;
  const { stages } = planOf(skipping);
  expect(stages[1].activationParts).toEqual({ activations: 2 ** 20, 'handed on': 4 * 2 ** 20 });
  expect(stages[1].activation).toBe(5 * 2 ** 20);
});
