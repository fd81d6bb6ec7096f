/** Changes to how ranks share stages, whose effect is known without knowing any figure. */
import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { anyLayer, base, cut, figuresOf, flat, outcome, parts, sum, ways } from './changed.ts';

describe('ranks', () => {
  it('twice the data ranks change nothing but the exchange of gradients', () => {
    fc.assert(
      fc.property(base, fc.constantFrom(1, 2, 4), (of, data) => {
        const plain = { ...of, optimizer: of.optimizer.includes('shard') ? 'optimizer = adam_mixed' : of.optimizer };
        const [few, many] = [data, 2 * data].map((n) => outcome(parts(plain, `${cut(4)}  data = ${n}`, flat(4 * n))));
        expect(many.plan.stages).toEqual(few.plan.stages);
        expect(many.plan.edges).toEqual(few.plan.edges);
        expect(many.report.devices.map(({ peak }) => peak)).toEqual(few.report.devices.map(({ peak }) => peak));
        expect(sum(many.plan.step.map(({ bytes = 0 }) => bytes))).toBeGreaterThan(
          sum(few.plan.step.map(({ bytes = 0 }) => bytes)),
        );
      }),
      ways,
    );
  });

  it('never change how many parameters there are', () => {
    const meshes = ['', 'tensor = 2', 'context = 2', 'data = 4', 'tensor = 2  sequence_parallel = true  context = 2'];
    const spread = ['', 'expert = 2', 'expert = 2  expert_tensor = 1'];
    fc.assert(
      fc.property(base, fc.constantFrom(...meshes), fc.constantFrom(...spread), (of, mesh, expert) => {
        const fits = !/expert = /.test(expert) || /context = 2|data = 4/.test(mesh) ? expert : '';
        const alone = outcome(parts(of, cut(4), flat(4)));
        const many = outcome(parts(of, `${cut(4)}  ${mesh}  ${of.of.mixed ? fits : ''}`, flat(64)));
        expect(many.plan.stages.map((stage) => stage.parameters)).toEqual(
          alone.plan.stages.map((stage) => stage.parameters),
        );
      }),
      ways,
    );
  });

  it('of tensor with free links take a t-th of the time where only FLOPs count and all are divided', () => {
    fc.assert(
      fc.property(anyLayer, fc.constantFrom(2, 4, 8), (of, tensor) => {
        const [alone, many] = [1, tensor].map((t) =>
          outcome({
            sequence: 256,
            layer: of.layer,
            layers: 8,
            device: '',
            cluster: flat(16, '1e20B/s'),
            pipeline: `schedule = 1f1b  ${cut(2)}  tensor = ${t}  sequence_parallel = true`,
          }),
        );
        for (const [index, { forward, backwardInput, backwardWeight }] of many.plan.stages.entries()) {
          const whole = alone.plan.stages[index];
          expect(forward * tensor).toBeCloseTo(whole.forward, 9);
          expect(backwardInput * tensor).toBeCloseTo(whole.backwardInput, 9);
          expect(backwardWeight * tensor).toBeCloseTo(whole.backwardWeight, 9);
        }
      }),
      ways,
    );
  });

  it('of context with free links have the activations and messages of a c-th of the sequence, and a c-th of the FLOPs', () => {
    fc.assert(
      fc.property(anyLayer, fc.constantFrom(2, 4), (of, context) => {
        const run = (sequence: number, c: number) =>
          outcome({
            sequence,
            layer: of.layer,
            layers: 8,
            device: '',
            cluster: flat(16, '1e20B/s'),
            pipeline: `schedule = 1f1b  ${cut(2)}  context = ${c}`,
          });
        const [whole, split, short] = [run(256, 1), run(256, context), run(256 / context, 1)];
        for (const [index, stage] of split.plan.stages.entries()) {
          expect(stage.forwardFlops * context).toBeCloseTo(whole.plan.stages[index].forwardFlops, 3);
          expect(stage.weights).toBe(whole.plan.stages[index].weights);
          // Scores stand for all keys of the sequence.
          const scores = stage.activationParts?.['scores'] ?? 0;
          const others = short.plan.stages[index];
          if (scores === 0) expect(stage.activation).toBeCloseTo(others.activation, 3);
          else expect(stage.activation * context).toBeCloseTo(whole.plan.stages[index].activation, 3);
        }
        expect(split.plan.edges).toEqual(short.plan.edges);
      }),
      ways,
    );
  });

  it('of the same mesh, said by each stage too, are the same', () => {
    const mesh = 'tensor = 2  sequence_parallel = true  data = 2  expert = 2';
    const blocks = (own: string) =>
      [0, 1, 2, 3].map((s) => `stage s${s} { layers = block[${2 * s}..${2 * s + 1}]  ${own} }`).join('\n');
    fc.assert(
      fc.property(base, fc.constantFrom(mesh, 'context = 2  data = 2', 'tensor = 4'), (of, own) => {
        const [once, each] = ['', own].map((said) => outcome(parts(of, `${own}  ${blocks(said)}`, flat(16))));
        expect(each).toEqual(once);
      }),
      ways,
    );
  });
});

describe('stages with data ranks of their own', () => {
  const blocks = (own: string) =>
    [0, 1, 2, 3].map((s) => `stage s${s} { layers = block[${2 * s}..${2 * s + 1}]  ${own} }`).join('\n');
  const on = (size: number) => (s: number) => `on = gpu[${s * size}..${s * size + size - 1}]`;
  const placed = (size: number, own: string) =>
    [0, 1, 2, 3]
      .map((s) => `stage s${s} { layers = block[${2 * s}..${2 * s + 1}]  ${on(size)(s)}  ${own} }`)
      .join('\n');
  const inner = fc.constantFrom(['', 1] as const, ['tensor = 2', 2] as const, ['context = 2', 2] as const);

  it('that share every microbatch are data ranks with smaller ones', () => {
    fc.assert(
      fc.property(base, inner, fc.constantFrom(2, 4), (of, [mesh], data) => {
        const sharing = outcome({ ...parts(of, `${mesh}  ${blocks(`data = ${data}`)}`, flat(64)), samples: 4 });
        const apart = outcome({ ...parts(of, `${mesh}  data = ${data}  ${blocks('')}`, flat(64)), samples: 4 / data });
        const [shared, other] = [figuresOf(sharing), figuresOf(apart)];
        expect(shared.iteration / other.iteration).toBeCloseTo(1, 9);
        expect(sharing.report.throughput / apart.report.throughput).toBeCloseTo(1, 9);
        for (const [index, { peak, sync }] of shared.devices.entries()) {
          expect(peak / other.devices[index].peak).toBeCloseTo(1, 9);
          expect(sync.bytes).toBeCloseTo(other.devices[index].sync.bytes, 3);
          expect(sync.time).toBeCloseTo(other.devices[index].sync.time, 12);
        }
      }),
      ways,
    );
  });

  it('are replicas that split microbatches', () => {
    fc.assert(
      fc.property(base, inner, fc.constantFrom(2, 4), (of, [mesh, size], data) => {
        const [ranks, replicas] = [`data = ${data}`, 'replicate = split'].map((own) =>
          outcome(parts(of, `${mesh}  ${placed(size * data, own)}`, flat(64))),
        );
        expect(figuresOf(replicas)).toEqual(figuresOf(ranks));
      }),
      ways,
    );
  });

  it('stand where they would without being told', () => {
    fc.assert(
      fc.property(base, inner, fc.constantFrom(1, 2), (of, [mesh, size], data) => {
        const [told, untold] = [placed(size * data, ''), blocks('')].map((stages) =>
          outcome(parts(of, `${mesh}  data = ${data}  ${stages}`, flat(64))),
        );
        expect(told).toEqual(untold);
      }),
      ways,
    );
  });
});

describe('model FLOPs', () => {
  const experts = (capacity: number) =>
    `transformer(hidden = 256, heads = 8, experts = 8, experts_per_token = 2, expert_ffn = 512, capacity = ${capacity}, flash = true)`;
  // FLOPs of the model in an iteration, however many devices share them.
  const done = (layer: string, mesh: string, devices: number): number => {
    const made = { sequence: 256, layer, layers: 4, device: '', cluster: flat(16) };
    const { report } = outcome({ ...made, pipeline: `schedule = 1f1b  ${cut(2)}  ${mesh}` });
    return (report.model_flops?.rate ?? NaN) * report.iteration * devices;
  };

  it('do not grow with what ranks repeat', () => {
    fc.assert(
      fc.property(
        anyLayer,
        fc.constantFrom('', 'sequence_parallel = true'),
        fc.constantFrom(2, 4),
        (of, own, ranks) => {
          const whole = done(of.layer, '', 2);
          expect(done(of.layer, `tensor = ${ranks}  ${own}`, 2 * ranks) / whole).toBeCloseTo(1, 9);
          expect(done(of.layer, `context = ${ranks}`, 2 * ranks) / whole).toBeCloseTo(1, 9);
          expect(done(of.layer, `data = ${ranks}`, 2 * ranks) / whole / ranks).toBeCloseTo(1, 9);
        },
      ),
      ways,
    );
  });

  it('do not grow with tokens beyond an even spread over experts', () => {
    for (const mesh of ['', 'data = 2  expert = 2', 'tensor = 2'])
      expect(done(experts(1.5), mesh, 4) / done(experts(1), mesh, 4)).toBeCloseTo(1, 9);
  });
});

describe('state', () => {
  it('in more parts takes no more static bytes', () => {
    const recipes = ['adam', 'adam_mixed', 'megatron_bf16', 'deepspeed_bf16', 'megatron_fp8', 'sgd_mixed'];
    fc.assert(
      fc.property(base, fc.constantFrom(...recipes), fc.constantFrom(2, 4, 8), (of, recipe, data) => {
        const bytes = ['none', 'zero1', 'zero2', 'zero3'].map((shard) => {
          const { plan } = outcome(
            parts(
              { ...of, optimizer: `optimizer = ${recipe}(shard = ${shard})` },
              `${cut(2)}  data = ${data}`,
              flat(16),
            ),
          );
          return plan.stages.map(({ weights, gradients, optimizer }) => weights + gradients + optimizer);
        });
        for (const stage of [0, 1])
          for (const level of [1, 2, 3]) expect(bytes[level][stage]).toBeLessThanOrEqual(bytes[level - 1][stage]);
      }),
      ways,
    );
  });

  it('over all ranks is the same as over none said', () => {
    fc.assert(
      fc.property(base, fc.constantFrom('zero1', 'zero2', 'zero3'), (of, shard) => {
        const run = (over: string) =>
          outcome(
            parts(
              { ...of, optimizer: `optimizer = adam_mixed(shard = ${shard}${over})` },
              `${cut(4)}  data = 4`,
              flat(16),
            ),
          );
        expect(run(', over = 4')).toEqual(run(''));
        const alone = run(', over = 1').plan;
        const whole = outcome(
          parts({ ...of, optimizer: 'optimizer = adam_mixed' }, `${cut(4)}  data = 4`, flat(16)),
        ).plan;
        expect(alone.stages.map(({ optimizer }) => optimizer)).toEqual(whole.stages.map(({ optimizer }) => optimizer));
      }),
      ways,
    );
  });
});
