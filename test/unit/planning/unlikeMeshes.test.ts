import * as fc from '../../support/property.ts';
import { analyse } from '../../support/analyse.ts';
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { checkFindings } from '../../support/expected.ts';
import { planOf, resolveText } from '../../support/resolve.ts';

const model = (layers: number) => `model toy {
  sequence = 128  micro_batch = 12
  layer block[${layers}] = transformer(hidden = 48, heads = 12)
}
device gpu_16 { memory = 16GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
`;

const measured = `model toy { layer block[2] { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB  output = 16MiB } }
device gpu_16 { memory = 16GiB }
`;

const routeOf = ({ routes }: PipelinePlan, from: number, to: number) => {
  const route = routes.find((routePlan) => routePlan.from === from && routePlan.to === to);
  if (route === undefined) throw new Error(`no route from ${from} to ${to}`);
  return route;
};

describe('equal meshes', () => {
  test('tensor ranks that share an uplink share its bandwidth: 50 GB/s for the 8 of a p4d', () => {
    const text = (tensor: number) => `import { p4d } from "std:clusters"
${measured}pipeline train { model = toy  devices = p4d  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  tensor = ${tensor} }`;
    expect(routeOf(planOf(text(8)), 0, 1).bandwidth).toBe(50e9 / 8);
    // Of one node: every pair has ports of its own.
    expect(routeOf(planOf(text(4)), 0, 1).bandwidth).toBe(235e9);
    expect(routeOf(planOf(text(8)), 0, 1).hops?.map(({ bandwidth }) => bandwidth)).toEqual(
      expect.arrayContaining([24e9, 50e9 / 8]),
    );
  });

  test('data ranks of a pipeline share it too, and a card for each device is not shared', () => {
    const text = (cluster: string) => `import { ${cluster} } from "std:clusters"
${measured}pipeline train { model = toy  devices = ${cluster}  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  data = 4  tensor = 2 }`;
    expect(routeOf(planOf(text('p4d')), 0, 1).bandwidth).toBe(50e9 / 8);
    expect(routeOf(planOf(text('dgx_a100')), 0, 1).bandwidth).toBe(23.5e9);
  });

  test('one shared link is shared by all pairs', () => {
    const text = (link: string) => `${measured}cluster box { gpu[8] = gpu_16  link = ${link} }
pipeline train { model = toy  devices = box  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  tensor = 4 }`;
    expect(routeOf(planOf(text('20GB/s')), 0, 1).bandwidth).toBe(20e9);
    expect(routeOf(planOf(text('shared(20GB/s)')), 0, 1).bandwidth).toBe(5e9);
  });

  test('stages that write the mesh of the pipeline are the plan of a pipeline that writes it once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(1, 2, 4),
        fc.constantFrom(1, 2),
        fc.constantFrom(1, 2, 3),
        fc.boolean(),
        fc.boolean(),
        (stages, tensor, context, data, sequence, everywhere) => {
          const mesh = `tensor = ${tensor}  context = ${context}  data = ${data}  sequence_parallel = ${sequence && tensor > 1}`;
          const text = (
            own: string,
            all: string,
          ) => `${model(4)}cluster box { node[24] { gpu[4] = gpu_16  link = 100GB/s }  link = 10GB/s }
pipeline train { model = toy  devices = box  microbatches = 8  schedule = 1f1b  ${all}
${Array.from({ length: stages }, (_, stage) => `  stage s${stage} { layers = block[${stage}${stage === stages - 1 ? '..3' : ''}]  ${own} }`).join('\n')}
}`;
          // `data` of a stage is over that of its pipeline: it is said in both.
          const once = planOf(text('', mesh));
          expect(planOf(text(mesh, everywhere ? mesh : `data = ${data}`)).stages).toEqual(once.stages);
          const again = planOf(text(mesh, mesh));
          expect(again).toEqual(once);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('unlike meshes', () => {
  const two = (
    transfer: string,
    first: string,
    second: string,
  ) => `${measured}cluster box { node[2] { gpu[4] = gpu_16  link = 100GB/s }  link = 10GB/s }
pipeline train {
  model = toy  devices = box  microbatches = 8  schedule = 1f1b
  ${transfer}
  stage a { layers = block[0]  ${first} }
  stage b { layers = block[1]  ${second} }
}`;
  const S = 16 * 2 ** 20;

  test('a gradient has as many bytes as its sender has, and both ends have room for what they receive', () => {
    const plan = planOf(two('', 'tensor = 4  sequence_parallel = true', 'tensor = 4'));
    expect(plan.edges).toEqual([{ from: 0, to: 1, bytes: S, back: 4 * S }]);
    expect(plan.stages.map(({ buffers }) => buffers)).toEqual([S, 4 * S]);
    // Each of four has a part that all four others need; of the gradient each has all, and sends what one other needs.
    const seconds = (from: number, to: number, bytes: number) => bytes / routeOf(plan, from, to).bandwidth;
    expect(seconds(1, 0, 4 * S)).toBeCloseTo(S / 10e9, 9);
    expect(seconds(0, 1, S)).toBeGreaterThan(S / 10e9);
    expect(seconds(0, 1, S)).toBeLessThan((4 * S) / 10e9);
  });

  test('each way that a file may say is in the plan; without one the fastest', () => {
    const rule = (transfer: string) => routeOf(planOf(two(transfer, 'tensor = 2', 'tensor = 4')), 0, 1).reshard;
    expect(rule('transfer = send_recv')).toEqual({ strategy: 'send_recv' });
    expect(rule('transfer = all_gather')).toEqual({ strategy: 'all_gather', scope: 'node' });
    expect(rule('transfer = all_gather(scope = cluster)')).toEqual({ strategy: 'all_gather', scope: 'cluster' });
    expect(rule('transfer = broadcast')).toEqual({ strategy: 'broadcast' });
    expect(rule('transfer = broadcast(chunks = 2 * 32)')).toEqual({ strategy: 'broadcast', chunks: 64 });
    expect(rule('transfer = rendezvous(batched = true, reshard = all_gather)')?.strategy).toBe('all_gather');
    const fastest = Math.max(
      ...['send_recv', 'all_gather', 'all_gather(scope = cluster)', 'broadcast'].map(
        (name) => routeOf(planOf(two(`transfer = ${name}`, 'tensor = 2', 'tensor = 4')), 0, 1).bandwidth,
      ),
    );
    for (const transfer of ['', 'transfer = buffered', 'transfer = rendezvous'])
      expect(routeOf(planOf(two(transfer, 'tensor = 2', 'tensor = 4')), 0, 1).bandwidth).toBe(fastest);
  });

  test('the file shows which was taken, and what each takes', () => {
    const { derived } = resolveText(two('', 'on = gpu[3]', 'tensor = 4  on = node[1]'));
    const hint = derived.find(({ text }) => text.startsWith(' resharded'));
    // One device gets all that one device sends; the other way it needs one copy of four.
    expect(hint?.text).toBe(' resharded by broadcast, send_recv');
    // 1.68 ms over the network for each copy.
    expect(hint?.tooltip).toContain('send_recv 6.71 ms');
  });

  test('stages hand on what goes past them in parts of their own', () => {
    const plan = planOf(`model toy {
  layer a { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB  output = 16MiB }
  layer b { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB }
  layer c { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB  after = [a, b] }
}
device gpu_16 { memory = 16GiB }
cluster box { gpu[6] = gpu_16  link = 10GB/s }
pipeline train {
  model = toy  devices = box  microbatches = 4  schedule = torchgpipe(checkpoint = never, skip = relay)
  stage a { layers = a }
  stage b { layers = b  tensor = 4  sequence_parallel = true }
  stage c { layers = c }
}`);
    // What b needs, and what c needs of a; b hands the latter on.
    expect(plan.edges).toEqual([
      { from: 0, to: 1, bytes: 2 * S, back: S / 2 },
      { from: 1, to: 2, bytes: S / 4, back: S },
    ]);
    expect(plan.stages[1].activation).toBe(2 ** 20 + S / 4);
  });
});

describe('findings', () => {
  const alike = (
    transfer: string,
    mesh = '',
  ) => `${measured}cluster box { gpu[${mesh === '' ? 2 : 4}] = gpu_16  link = 10GB/s }
pipeline train {
  model = toy  devices = box  microbatches = 8  stages = split(1, 1)  schedule = 1f1b  ${mesh}
  transfer = ${transfer}
}`;

  test('a way to reshard where meshes are alike', () => {
    checkFindings(alike('⟦key/not-applicable:broadcast⟧'), ['have equal meshes']);
    checkFindings(alike('⟦key/not-applicable:all_gather(scope = node)⟧', 'tensor = 2'), ['have equal meshes']);
    checkFindings(alike('⟦key/not-applicable:scatter_gather⟧'), ['nothing to scatter']);
    checkFindings(alike('⟦key/not-applicable:scatter_gather⟧', 'tensor = 2  sequence_parallel = true'), [
      'nothing to scatter',
    ]);
    checkFindings(alike('scatter_gather', 'tensor = 2'));
  });

  test('more transfers than the engine will look at', () => {
    const text = `${measured}cluster box { gpu[4000] = gpu_16  link = 10GB/s }
pipeline ⟦limit/too-large:train⟧ {
  model = toy  devices = box  microbatches = 8  schedule = 1f1b
  stage a { layers = block[0]  tensor = 1500 }
  stage b { layers = block[1]  data = 1500 }
}`;
    // Each of 1,500 devices has all; the gradient is in 1,500 parts, each of which all the 1,500 need.
    checkFindings(text, ['2,250,000, over the limit of 200,000']);
  });

  test('words and numbers that a way does not take', () => {
    checkFindings(alike('broadcast(⟦key/unknown:scope⟧ = 2)'));
    checkFindings(alike('broadcast(chunks = ⟦value/range:0⟧)'));
    checkFindings(alike('broadcast(chunks = ⟦type/dimension:2ms⟧)'));
    checkFindings(alike('all_gather(scope = ⟦type/mismatch:3⟧)'), ['`node` or `cluster`']);
    checkFindings(alike('rendezvous(reshard = ⟦type/mismatch:3⟧)'), ['`broadcast`']);
    checkFindings(alike('⟦name/unknown:multicast⟧'));
    checkFindings(alike('⟦type/mismatch:3⟧'), ['a reshard method']);
  });
});

describe('any meshes', () => {
  const mesh = fc.record({
    tensor: fc.constantFrom(1, 2, 3, 4),
    context: fc.constantFrom(1, 2),
    data: fc.constantFrom(1, 2, 3),
    sequence: fc.boolean(),
  });
  const clusters = fc.constantFrom(
    'node[24] { gpu[4] = gpu_16  link = 100GB/s + 1us }  link = 10GB/s + 5us',
    'gpu[96] = gpu_16  link = shared(10GB/s + 5us)',
    'gpu[96] = gpu_16  link = half(10GB/s + 5us)',
    'switch fabric {}\n node[12] { gpu[8] = gpu_16\n switch nic { ports = gpu[0..7]  link = 50GB/s + 1us }\n link nic -- fabric = 25GB/s + 5us }',
  );
  const transfers = fc.constantFrom(
    ...['buffered', 'send_recv', 'all_gather', 'all_gather(scope = cluster)', 'broadcast', 'broadcast(chunks = 3)'],
    ...['scatter_gather', 'rendezvous(batched = true)', 'rendezvous(batched = all, reshard = broadcast)'],
  );
  const schedules = fc.constantFrom('1f1b', 'eager_1f1b', 'gpipe', 'zb_h1', 'torchgpipe(skip = relay)');

  test('stages of any meshes on any cluster run, and what they exchange is finite', () => {
    fc.assert(
      fc.property(
        fc.array(mesh, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 2),
        clusters,
        transfers,
        schedules,
        (stages, base, cluster, transfer, schedule) => {
          const text = `${model(stages.length)}cluster box { ${cluster} }
pipeline train { model = toy  devices = box  microbatches = 6  schedule = ${schedule}  transfer = ${transfer}  data = ${base}
${stages.map((stage, index) => `  stage s${index} { layers = block[${index}]  tensor = ${stage.tensor}  context = ${stage.context}  data = ${stage.data}  sequence_parallel = ${stage.sequence} }`).join('\n')}
}`;
          const analysis = analyse(text);
          const [pipeline] = analysis.pipelines;
          const errors = analysis.findings.filter(({ severity }) => severity === 'error');
          if (transfer.startsWith('rendezvous') && errors.some(({ code }) => code === 'schedule/deadlock')) return;
          expect(
            errors.map(({ message }) => message),
            text,
          ).toEqual([]);
          const { plan, run } = pipeline;
          for (const route of plan.routes) {
            expect(Number.isFinite(route.latency)).toBe(true);
            expect(route.bandwidth).toBeGreaterThan(0);
            for (const hop of route.hops ?? []) expect(hop.bandwidth).toBeGreaterThanOrEqual(route.bandwidth);
          }
          expect(run?.report.iteration).toBeGreaterThan(0);
          const parts = (stage: number) => stages[stage].context * (stages[stage].sequence ? stages[stage].tensor : 1);
          for (const { from, to, bytes, back = bytes } of plan.edges)
            expect(back * parts(to)).toBeCloseTo(bytes * parts(from), 3);
        },
      ),
      { numRuns: 60 },
    );
  });
});
