import { describe, expect, it } from 'vitest';
import { planOf } from '../../support/resolve.ts';

const [vocab, hidden, block] = [50000, 1024, 12 * 1024 ** 2 + 13 * 1024];
const file = (pipeline: string, layers = 4, head = 'tied = true') => `model m {
  sequence = 1024  micro_batch = 1
  layer embed = embedding(vocab = ${vocab}, hidden = ${hidden})
  layer block[${layers}] = transformer(hidden = ${hidden}, heads = 16)
  layer head = lm_head(vocab = ${vocab}, hidden = ${hidden}, ${head})
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[8] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 8  ${pipeline} }
`;

const matrix = vocab * hidden;
const norm = 2 * hidden;

describe('a head that is tied to the embedding', () => {
  const weightsOf = (pipeline: string, layers?: number) => {
    const { stages, placement, devices } = planOf(file(pipeline, layers));
    return devices.map((_, device) =>
      stages.reduce((sum, { weights }, stage) => sum + (placement[stage] === device ? weights : 0), 0),
    );
  };

  it('has one matrix where both are in one stage, whose gradients are exchanged once', () => {
    const { stages, step } = planOf(file('stages = balance(1)  schedule = 1f1b  data = 2'));
    const parameters = matrix + 4 * block + norm;
    expect(stages[0]).toMatchObject({ parameters, weights: 2 * parameters, gradients: 2 * parameters });
    expect(step[0].sync).toBeCloseTo((2 * parameters) / 100e9, 12);
    const state = planOf(file('stages = balance(1)  schedule = 1f1b  optimizer = megatron_bf16')).stages[0];
    expect([state.weights, state.gradients, state.optimizer]).toEqual([2, 4, 12].map((each) => each * parameters));
  });

  it('has a copy on another device, and one gradient exchange more', () => {
    const first = matrix + 2 * block;
    expect(weightsOf('stages = split(3, 3)  schedule = 1f1b')).toEqual([2 * first, 2 * (first + norm)]);
    const { step } = planOf(file('stages = split(3, 3)  schedule = 1f1b'));
    // A ring of two over all of the matrix.
    for (const { sync } of step) expect(sync).toBeCloseTo((2 * matrix) / 100e9, 12);
  });

  it('has one matrix where two stages of one device hold them', () => {
    const weights = weightsOf('stages = split(2, 1, 1, 2)  schedule = zb_v');
    expect(weights[0]).toBe(2 * (matrix + 2 * block + norm));
    const untied = planOf(file('stages = split(2, 1, 1, 2)  schedule = zb_v', 4, 'tied = false'));
    expect(untied.stages[0].weights + untied.stages[3].weights - weights[0]).toBe(2 * matrix);
    expect(planOf(file('stages = split(2, 1, 1, 2)  schedule = zb_v')).step.map(({ sync }) => sync)).toEqual([0, 0]);
  });

  it('has one on each of the two devices that hold both ends of bidirectional pipelines', () => {
    const weights = weightsOf('stages = balance(4)  schedule = chimera', 6);
    for (const end of [weights[0], weights[3]]) expect(end).toBe(2 * (matrix + norm + 2 * block));
  });
});
