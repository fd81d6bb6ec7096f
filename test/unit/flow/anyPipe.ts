/** Random `.pipe` files over every feature: most of them run, the others are wrong in the ways that people are. */
import * as fc from '../../support/property.ts';
import type { Dimension } from '../../../engine/values/plan.ts';
import { figures } from '../../../engine/language/figures.ts';
import { parametersOf } from '../../../engine/policies/parameters.ts';
import type { Policy, PolicyParameter } from '../../../engine/policies/policy.ts';
import { policies } from '../../../engine/policies/registry.ts';

const pick = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
/** `text` for most files, one of `others` for some. */
const mostly = <T>(usual: fc.Arbitrary<T>, others: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: others });
/** A line for some files, none for most. */
const seldom = (line: fc.Arbitrary<string>, weight = 6): fc.Arbitrary<string> => mostly(fc.constant(''), line, weight);

const oddNumber = pick('0', '-1', '1.5', '1e9', '1e30', '0/0', '1/0', '3ms', '[]', '[1]', 'nothing', '"text"', '2..5');
const usualTime = pick('1ms', '4ms', '2ms', '7.3ms', '0.31ms', '8ms');
const anyTime = fc.oneof(
  { weight: 80, arbitrary: usualTime },
  { weight: 8, arbitrary: pick('0ms', '1ns', '3h', '1e-30s', '1e12s', '0s') },
  { weight: 1, arbitrary: pick('-1ms', '4', '1e300s') },
);
const anySize = fc.oneof(
  { weight: 80, arbitrary: pick('0B', '1MiB', '256MiB', '1GiB', '3B', '33.3MiB') },
  { weight: 5, arbitrary: pick('900GiB', '1e18B', '0.5B') },
  { weight: 1, arbitrary: pick('-1B', '2s', '1e300B') },
);
const link = mostly(
  pick('25GB/s + 5us', '1GB/s', '100GB/s + 1ms', '2GB/s + 20us', '1000GB/s + 0us'),
  pick('0GB/s + 1us', '1B/s', '1e20B/s + 1e-20s', '1e-3B/s', '5us', '25GB/s + 1h'),
  20,
);
const wrapped = fc
  .tuple(link, mostly(pick('', ''), pick('half', 'shared'), 2))
  .map(([text, call]) => (call === '' ? text : `${call}(${text})`));

/** A value for a parameter, right or wrong. */
function argumentOf(parameter: PolicyParameter): fc.Arbitrary<string> {
  const wordOf = parameter.words === undefined ? [] : [pick(...parameter.words)];
  switch (parameter.kind) {
    case 'word':
      return mostly(fc.oneof(...wordOf), fc.oneof(pick('sideways', '3'), oddNumber), 15);
    case 'integer': {
      const plain = fc.integer({ min: 1, max: 6 }).map(String);
      const sizes = parameter.dimension === 'bytes' ? [pick('1GiB', '4GiB', '64MiB', '1B')] : [];
      return mostly(fc.oneof(plain, ...sizes, ...wordOf), oddNumber, 15);
    }
    case 'integers': {
      const listed = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }).map((all) => `[${all.join(', ')}]`);
      return mostly(fc.oneof(listed, pick('[4, 3, 2, 1]', '[2, 1]', '[1, 1, 1, 1]'), ...wordOf), oddNumber, 15);
    }
    case 'quantity': {
      const usual =
        parameter.dimension === 'time'
          ? usualTime
          : parameter.dimension === 'bandwidth'
            ? pick('12GB/s', '1GB/s', '1B/s')
            : pick('0.5', '0', '1', '30%', '0.9');
      return mostly(usual, fc.oneof(oddNumber, pick('2GiB', '101%')), 15);
    }
  }
}

/** A use of a policy: `hanayo(waves = 1)`. Parameters are written now and then. */
function useOf(policy: Policy): fc.Arbitrary<{ readonly text: string; readonly policy: Policy }> {
  const written = parametersOf(policy).map((parameter) =>
    fc.option(
      argumentOf(parameter).map((value) => `${parameter.name} = ${value}`),
      { freq: 2, nil: undefined },
    ),
  );
  return fc.tuple(...written).map((all) => {
    const some = all.filter((name) => name !== undefined);
    return { text: some.length === 0 ? policy.name : `${policy.name}(${some.join(', ')})`, policy };
  });
}

const ownSchedule = fc.oneof(
  fc
    .record({
      placement: mostly(
        pick('linear', 'loop(2)', 'v_shape', 'wave(2)', 'bidirectional'),
        pick('loop(0)', 'wave(99)', '[[0]]', '[[0, 3], [1, 2]]'),
      ),
      split: fc.boolean(),
      prefer: pick('[I, F, W]', '[B, F]', '[F, B]', '[W, F, I]', '[F]', '[]'),
      limit: mostly(
        pick('', '  in_flight(s) = min(stages - s, microbatches)\n'),
        pick('  in_flight = 1\n', '  in_flight(s) = s\n'),
      ),
      weights: mostly(pick('flush'), pick('stash', 'latest', 'vertical_sync', 'double_buffer', 'predict'), 2),
    })
    .map(
      ({ placement, split, prefer, limit, weights }) =>
        `  placement = ${placement}\n  backward = ${split ? 'split' : 'whole'}\n  order = greedy(prefer = ${prefer})\n${limit}  weights = ${weights}\n`,
    ),
  pick(
    '  row(d) = F[0..<microbatches], B[0..<microbatches]\n',
    '  row(d) = F[0..<stages-d], zip(B[0..<microbatches-stages+d], F[stages-d..<microbatches]), B[microbatches-stages+d..<microbatches]\n',
    '  backward = split\n  row(d) = F[0..<microbatches], zip(I[0..<microbatches], W[0..<microbatches])\n',
    '  row(d) = B[0], F[0]\n',
    '  row(d) = F[0..9], B[0..9]\n  row(0) = fused(F[0], B[0])\n',
    '  row(d) = repeat(microbatches, F[0])\n',
  ),
);

const layer = fc
  .record({
    forward: anyTime,
    backward: anyTime,
    weights: anySize,
    activation: anySize,
    output: anySize,
    halves: fc.integer({ min: 0, max: 5 }),
  })
  .map(
    ({ forward, backward, weights, activation, output, halves }) =>
      `forward = ${forward}  ${halves === 0 ? `backward_input = ${backward}  backward_weight = ${forward}` : `backward = ${backward}`}` +
      `  weights = ${weights}  activation = ${activation}${halves < 3 ? `  output = ${output}` : ''}${halves === 1 ? '  workspace = 7MiB' : ''}`,
  );
const shapes = pick(
  'transformer(hidden = 1024, heads = 16)',
  'transformer(hidden = 1024, heads = 16, causal = true, flash = true)',
  'linear(inputs = 512, outputs = 2048)',
  'embedding(vocab = 32000, hidden = 1024)',
  'lm_head(vocab = 32000, hidden = 1024, tied = true)',
);

const expectation = fc
  .record({
    figure: pick(...figures),
    by: fc.nat(3),
    wrong: mostly(
      fc.constant(''),
      pick('(stage = 99)', '(device = 99)', '(stage = s0)', '(stage = -1)', '(device = 0)'),
      60,
    ),
    operator: pick('<', '<=', '>', '>=', '==', '!='),
    odd: fc.nat(60),
  })
  .map(({ figure: { name, dimension, by: restrictions }, by, wrong, operator, odd }) => {
    const restriction = restrictions[by];
    const which = wrong !== '' ? wrong : restriction === undefined ? '' : `(${restriction} = 0)`;
    const bounds: Readonly<Partial<Record<Dimension, string>>> = {
      share: '30%',
      bytes: '4GiB',
      time: '40ms',
      rate: '100/s',
      number: '3',
    };
    const bound = odd === 0 ? '0/0' : odd === 1 ? '12TFLOPS' : (bounds[dimension] ?? '1');
    return `${name}${which} ${operator} ${bound}`;
  });

interface Size {
  readonly devices: number;
  readonly chunks: number;
  readonly microbatches: number;
}

/** Stages of each device that a use wants, as far as its text tells. */
function chunksOf(policy: Policy, text: string): number {
  const written = /(?:chunks|waves) = (\d+)/.exec(text)?.[1];
  const args = Object.fromEntries(parametersOf(policy).map((parameter) => [parameter.name, parameter.default ?? 1]));
  if (written !== undefined)
    for (const name of ['chunks', 'waves']) args[name] = Math.min(8, Math.max(1, Number(written)));
  return Math.max(1, policy.chunks(args));
}

const sizes = fc.record({
  devices: fc.oneof({ weight: 10, arbitrary: pick(4, 4, 2, 2, 8, 1, 6, 3) }, { weight: 1, arbitrary: pick(16, 5, 7) }),
  rounds: mostly(pick(1, 2, 2, 3, 4), fc.constant(0.5)),
  more: mostly(fc.constant(0), fc.integer({ min: -2, max: 3 }), 3),
});

/** Of a job: under synchronous schedules there is none. */
const workerUse = pick(
  'pipedream',
  'pipedream(in_flight = 2)',
  'pipedream(weights = latest)',
  'xpipe',
  'pipemare',
  'pipedream_2bw',
  'pipelined_backprop',
);

const use = fc.oneof(
  {
    weight: 9,
    arbitrary: pick(...policies)
      .chain(useOf)
      .map(({ text, policy }) => ({ text, policy, own: '' })),
  },
  {
    weight: 1,
    arbitrary: ownSchedule.map((own) => ({ text: 'mine', policy: undefined, own: `schedule mine {\n${own}}\n` })),
  },
);

interface Body {
  readonly name: string;
  readonly cluster: string;
  readonly size: Size;
  readonly cut: number;
  readonly schedule: string;
  readonly keys: string;
  /** Layers called `block`, and of the model in all. */
  readonly layers: number;
  readonly total: number;
  readonly stageKeys: readonly string[];
  readonly ranks: number;
  readonly oddCount: string;
}

function pipelineText({
  name,
  cluster,
  size,
  cut,
  schedule,
  keys,
  layers,
  total,
  stageKeys,
  ranks,
  oddCount,
}: Body): string {
  const stages = size.devices * size.chunks;
  const count = oddCount === '' ? String(size.microbatches) : oddCount;
  const each = Math.max(1, Math.floor(layers / stages));
  const blocks = Array.from({ length: stages }, (_, stage) => {
    const first = stage * each;
    const last = stage === stages - 1 ? layers - 1 : first + each - 1;
    const on = cut === 4 ? `  on = gpu[${stage * ranks}${ranks > 1 ? `..${stage * ranks + ranks - 1}` : ''}]` : '';
    return `  stage s${stage} { layers = block[${first}..${last}]${on}  ${stageKeys[stage % stageKeys.length] ?? ''} }\n`;
  }).join('');
  const share = Math.max(1, Math.floor(total / stages));
  const sums = Array.from({ length: stages }, (_, stage) =>
    stage === stages - 1 ? Math.max(1, total - share * (stages - 1)) : share,
  );
  const written =
    cut >= 3 ? blocks : cut === 2 ? `  stages = split(${sums.join(', ')})\n` : `  stages = balance(${stages})\n`;
  return `pipeline ${name} {\n  model = toy\n  devices = ${cluster}\n  microbatches = ${count}\n${written}  schedule = ${schedule}\n${keys}}\n`;
}

const keys = fc
  .record({
    iterations: seldom(mostly(pick('2', '7', '20'), oddNumber), 4),
    transfer: seldom(
      pick(
        'buffered',
        'rendezvous',
        'rendezvous(batched = true)',
        'rendezvous(batched = all)',
        'rendezvous(batched = 3)',
      ),
      4,
    ),
    fill: seldom(
      mostly(pick('small', 'inference(small)', 'training(small)', 'training(toy)'), pick('training(nothing)')),
      5,
    ),
    overhead: seldom(anyTime, 8),
    optimizer: seldom(
      pick(
        'adam',
        'adam_mixed',
        'megatron_bf16(shard = distributed, step = 3ms)',
        'adam(shard = zero1)',
        'adam(step = 1ms)',
        'adam_mixed(zero2, over = 2)',
        'megatron_bf16(fsdp, reshard = false, moments = fp8)',
        'megatron_fp8(shard = zero3, primary = fp8, main_params = remainder)',
        'custom(2, 4, 12, shard = zero3)',
        'custom(0, 0, 0, over = 3)',
      ),
      3,
    ),
    recompute: seldom(pick('full', 'stage', 'selective', 'none'), 3),
  })
  .map(({ iterations, transfer, fill, overhead, optimizer, recompute }) =>
    Object.entries({ iterations, transfer, fill, fill_overhead: overhead, optimizer, recompute })
      .map(([name, value]) => (value === '' ? '' : `  ${name} = ${value}\n`))
      .join(''),
  );

/** A whole file: a model or two, a cluster, one pipeline or the workers of a job, and expectations. */
export const anyPipe: fc.Arbitrary<string> = fc
  .record({
    use,
    size: sizes,
    cut: fc.integer({ min: 0, max: 4 }),
    oddChunks: mostly(fc.constant(0), pick(1, -1)),
    oddCount: seldom(mostly(pick('microbatches'), oddNumber, 2), 9),
    keys,
    layers: fc.array(layer, { minLength: 1, maxLength: 3 }),
    shape: mostly(fc.constant(''), shapes, 5),
    spareLayers: pick(0, 0, 1, 3, 7),
    stageKeys: fc.array(
      mostly(
        fc.constant(''),
        pick('recompute = full', 'recompute = stage', 'replicate = split', 'replicate = round_robin'),
        3,
      ),
      { minLength: 1, maxLength: 4 },
    ),
    ranks: mostly<readonly [number, number]>(
      fc.constant([1, 1]),
      fc.oneof(
        { weight: 6, arbitrary: pick<readonly [number, number]>([2, 1], [1, 2], [2, 2]) },
        fc.constant<readonly [number, number]>([0, 1]),
      ),
      4,
    ),
    memory: mostly(pick('16GiB', '80GiB', '2GiB'), pick('1B', '1e20B', '64MiB', '0B'), 20),
    reserved: mostly(pick('', '  reserved = framework'), pick('  reserved = 15GiB', '  reserved = frame'), 20),
    link: wrapped,
    spareDevices: pick(0, 0, 0, 1, 4),
    job: mostly(
      fc.constant(undefined),
      fc.record({
        schedule: mostly<string | undefined>(workerUse, fc.constant(undefined)),
        workers: fc.integer({ min: 1, max: 4 }),
        distance: mostly(pick('0', '1', '4'), oddNumber),
        servers: mostly(pick('', '  servers = 2\n', '  servers = 1e6\n'), pick('  servers = 0\n')),
        link: seldom(wrapped, 2),
        waves: seldom(mostly(pick('2', '9', '32'), oddNumber), 2),
      }),
      4,
    ),
    expects: fc.array(expectation, { maxLength: 3 }),
  })
  .map((file) => {
    const { policy, text, own } = file.use;
    const usual = policy === undefined || file.job?.schedule !== undefined ? 1 : chunksOf(policy, text);
    const chunks = Math.max(1, usual + file.oddChunks);
    const { devices } = file.size;
    const size = {
      devices,
      chunks,
      microbatches: Math.max(1, Math.round(devices * file.size.rounds) + file.size.more),
    };
    const stages = devices * chunks;
    const each = Math.max(1, Math.ceil((stages + file.spareLayers) / file.layers.length));
    // One array of layers, so that stages can name them by number; further kinds stand behind it.
    const [first, ...others] = file.layers;
    const layers = others.length === 0 || file.cut >= 3 ? stages + file.spareLayers : each;
    const written = file.cut >= 3 ? [first] : file.shape === '' ? file.layers : others;
    const ranks = Math.max(1, file.ranks[0] * file.ranks[1]);
    const shaped = file.cut < 3 && file.shape !== '' ? `  layer shaped[${each}] = ${file.shape}\n` : '';
    const model = `model toy {\n  sequence = 512\n  micro_batch = 2\n${shaped}${written.map((costs, index) => `  layer ${index === 0 ? 'block' : `block${index}`}[${layers}] { ${costs} }`).join('\n')}\n}\nmodel small { layer a[3] { ${first} } }\n`;
    const device = `device card { memory = ${file.memory}${file.reserved}  compute = 100TFLOPS  bandwidth = 1TB/s }\n`;
    const names =
      file.job === undefined ? ['train'] : Array.from({ length: file.job.workers }, (_, worker) => `train${worker}`);
    const clusters = names.map(
      (_, index) => `cluster box${index} { gpu[${devices * ranks + file.spareDevices}] = card  link = ${file.link} }\n`,
    );
    const parallel = `${file.ranks[0] === 1 ? '' : `  tensor = ${file.ranks[0]}\n`}${file.ranks[1] === 1 ? '' : `  data = ${file.ranks[1]}\n`}`;
    const pipelines = names.map((name, index) =>
      pipelineText({
        name,
        cluster: `box${index}`,
        size: file.job === undefined ? size : { ...size, microbatches: 1 },
        cut: file.cut,
        schedule: file.job?.schedule ?? text,
        keys: file.keys + parallel,
        layers,
        total: layers * written.length + (shaped === '' ? 0 : each),
        stageKeys: file.stageKeys,
        ranks,
        oddCount: file.oddCount,
      }),
    );
    const { job } = file;
    const together =
      job === undefined
        ? ''
        : `job all {\n  workers = [${names.join(', ')}]\n  sync = wsp(distance = ${job.distance})\n${job.servers}${job.link === '' ? '' : `  link = ${job.link}\n`}${job.waves === '' ? '' : `  waves = ${job.waves}\n`}}\n`;
    const expects = file.expects.length === 0 ? '' : `expect ${names[0]} { ${file.expects.join('  ')} }\n`;
    const param = file.oddCount === 'microbatches' ? 'param microbatches = 8 in 1..64\n' : '';
    return param + model + device + clusters.join('') + own + pipelines.join('') + together + expects;
  });
