/** Formulas between `$$` with a worked number: the number is that of the formula, and of the engine. */
import { expect, test } from 'vitest';
import { bytes, show, time } from '../../../engine/basics/quantities.ts';
import type { LayerSetting, ShapeCost } from '../../../engine/costs/types.ts';
import { exchange } from '../../../engine/costs/collectives.ts';
import { frameworkBytes } from '../../../engine/costs/framework.ts';
import { overlapTime } from '../../../engine/costs/kernelTime.ts';
import { newtonSchulzKernels } from '../../../engine/costs/optimizer/newtonSchulz.ts';
import { findOptimizer } from '../../../engine/costs/optimizer.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import { bestTile } from '../../../engine/costs/tiles.ts';
import { serversOf } from '../../../engine/job/servers.ts';
import { nvlsCall } from '../../../engine/network/collectives/nvls.ts';
import { analyse, runOf } from '../../support/analyse.ts';
import { valueOf } from './formula.ts';
import { pages, textOf } from './pages.ts';

/** By letter or word, in seconds, bytes and numbers. */
type Values = Readonly<Record<string, number>>;

interface Worked {
  readonly page: string;
  /** The heading above it: on a page of schedules the name of a policy. */
  readonly heading: string;
  readonly formula: string;
  readonly values: Values;
  /** As printed: `9 ms`. */
  readonly number: string;
}

const units: Values = {
  ...{ '': 1, B: 1, ms: 1e-3, µs: 1e-6, MB: 1e6, GiB: 2 ** 30, 'GB/s': 1e9 },
};
const worked: readonly Worked[] = pages
  .filter((page) => /^docs\/(?:schedules|costs|communication)\//.test(page))
  .flatMap((page) =>
    textOf(page)
      .split(/^#+ /m)
      .flatMap((section) =>
        [...section.matchAll(/^\$\$(.+)\$\$\n\n.*?[Ww]ith (\$.+?) it is ([^.]*(?:\.\d+[^.]*)?)\.$/gm)].map(
          ([, formula, words, number]) => ({
            page,
            heading: section.split('\n')[0] ?? '',
            formula,
            values: Object.fromEntries(
              [...words.matchAll(/\$(\S+) = ([\d.]+)\$(?: (B|ms|µs|MB|GiB|GB\/s)\b)?/g)].map(
                ([, name, value, unit]) => [name.replace(/^\\text\{(.*)\}$/, '$1'), Number(value) * units[unit ?? '']],
              ),
            ),
            number,
          }),
        ),
      ),
  );

/** Idle seconds of each device under a policy, with the times of the formula. */
function idleOf(policy: string, { p = 1, m = 1, v, F = 1, B, I = 1, W = 1, limit }: Values): number {
  const chunks = v ?? (policy === 'zb_v' ? 2 : 1);
  const ms = (seconds: number): string => `${(seconds * 1e3) / chunks}ms`;
  const backward = B === undefined ? `backward_input = ${ms(I)}  backward_weight = ${ms(W)}` : `backward = ${ms(B)}`;
  const { run } = runOf(`device card { memory = 80GiB }
cluster box { gpu[${p}] = card  link = 1000000TB/s }
model toy { layer block[${p * chunks}] { forward = ${ms(F)}  ${backward} } }
pipeline train { model = toy  devices = box  microbatches = ${m}  stages = balance(${p * chunks})  schedule = ${policy}${v === undefined ? '' : `(chunks = ${v})`}${limit === undefined ? '' : `(in_flight = ${limit})`} }
`);
  const [first, ...others] = run.report.devices.map(({ idle }) => idle);
  for (const other of others) expect(other).toBeCloseTo(first ?? NaN, 9);
  return first ?? NaN;
}

const setting: LayerSetting = {
  ...{ sequence: 1, microBatch: 1, precision: 'bf16', tensor: 1, sequenceParallel: false, context: 1 },
  ...{ expert: 1, expertTensor: 1, recompute: 'none' },
};
const layer = ({ h = 1, s = 1, b = 1, t = 1 }: Values, more: Partial<LayerSetting> = {}): ShapeCost | undefined =>
  findShape('transformer')?.cost(
    { hidden: h, heads: h / 128 },
    { ...setting, sequence: s, microBatch: b, tensor: t, sequenceParallel: t > 1, expertTensor: t, ...more },
  );

/** Seconds of an iteration of one stage over data ranks. */
function iterationOf(layers: string, { n = 1, alpha = 0, beta = 1 }: Values, keys: string): number {
  const link = `${beta}B/s${alpha === 0 ? '' : ` + ${alpha * 1e6}us`}`;
  return runOf(`device card { memory = 80GiB }
cluster box { gpu[${n}] = card  link = ${link} }
model toy { micro_batch = 32  ${layers} }
pipeline train { model = toy  devices = box  microbatches = 1  stages = balance(1)  data = ${n}  schedule = 1f1b  ${keys} }
`).run.report.iteration;
}
const greek = (values: Values): Values => ({
  ...values,
  alpha: values[String.raw`\alpha`] ?? 0,
  beta: values[String.raw`\beta`] ?? 1,
});
const fullyConnected = (i: number, o: number): string =>
  `layer all { ${still}  weights = ${4 * i * o}B  matrix = [${i}, ${o}] }`;
const still = 'forward = 0ms  backward = 0ms';

/** Seconds in which nodes of two ranks with equal links to the network reduce their gradients, in a ring or a tree over all cards. */
const acrossNodes = (values: Values): number => {
  const { n = 1, q = 1, S } = values;
  const half = (values[String.raw`\beta`] ?? 0) / 2;
  const [inside = 0, between = 0] = [String.raw`\alpha_1`, String.raw`\alpha_2`].map((name) => values[name] * 1e6);
  return runOf(`device card { memory = 80GiB }
cluster box { node[${q}] { gpu[${n / q}] = card  link = ${half * (n / q)}B/s + ${inside}us }  link = ${half}B/s + ${between}us }
model toy { layer all { ${still}  weights = ${S}B } }
pipeline train { model = toy  devices = box  microbatches = 1  stages = balance(1)  data = ${n}  schedule = 1f1b }
`).run.report.iteration;
};
/** The end of two groups of a layer each, whose bytes are half of `S`. */
const switched = ({ S = 0, F = 0, call = 0, sync = 0, ...values }: Values): number =>
  runOf(`device card { memory = 80GiB }
cluster box { gpu[1] = card }
model toy { layer block[2] { forward = ${F * 1e3}ms  backward = 0ms  weights = ${S / 2}B } }
pipeline train { model = toy  devices = box  microbatches = 1
  schedule = pipeswitch(groups = per_layer, bandwidth = ${values[String.raw`\beta`]}B/s, call = ${call * 1e6}us, sync = ${sync * 1e6}us) }
`).run.report.iteration;
/** Most updates of another worker that a minibatch misses, of two equal workers. */
function mostMissed({ distance, wave }: Values): number | undefined {
  const pipeline = (name: string): string =>
    `cluster of_${name} { gpu[1] = card }
pipeline ${name} { model = toy  devices = of_${name}  microbatches = 1  stages = balance(1)  schedule = pipedream(in_flight = ${wave}) }`;
  const [{ report }] = analyse(`device card { memory = 80GiB }
model toy { layer all { forward = 1ms  backward = 2ms } }
${pipeline('one')}
${pipeline('two')}
job both { workers = [one, two]  sync = wsp(distance = ${distance}) }
`).jobs;
  return report?.sync === 'wsp' ? report.staleness.bound : undefined;
}

/** What the engine has for a formula, by page and heading. */
const engine: Readonly<Record<string, (values: Values) => number | undefined>> = {
  'costs/README Symbols': ({ s = 1, b = 1, c = 1 }) => {
    const at = { ...setting, sequence: s, microBatch: b, context: c };
    // The token numbers that it keeps have 8 bytes each.
    return (findShape('embedding')?.cost({ vocab: 8, hidden: 8, dropout: false }, at).activation ?? NaN) / 8;
  },
  'costs/parameters-and-flops A GPT layer': (values) => layer(values)?.parameters,
  'costs/activations A GPT layer': (values) => layer(values, { recompute: 'selective' })?.activation,
  'costs/activations On the host': ({ layers, offloaded, T_l, T_c }) =>
    // Backwards are long enough for all copies.
    runOf(`device card { memory = 80GiB  host = 1GB/s }
cluster box { gpu[1] = card }
model toy { layer block[${layers}] { forward = ${T_l * 1e3}ms  backward = 1000ms  activation = ${T_c * 1e3}MB } }
pipeline train { model = toy  devices = box  microbatches = 1  stages = balance(1)  schedule = 1f1b  offload = activations(layers = ${offloaded}) }
`).run.report.iteration - layers,
  'costs/parallelism Tensor ranks': ({ N = 1, h = 1 }) =>
    layer({ h, s: N, t: 2 }, { sequenceParallel: false })?.collectives.find(({ over }) => over === 'tensor')?.bytes,
  'costs/parallelism Exposed communication': ({ T_c, overlap, room }) => {
    const ring = { bandwidth: 1 / T_c, latency: 0 };
    const rate = {
      rings: { tensor: ring, context: ring, expert: ring },
      overlap: { tensor: overlap, context: 0, expert: 0 },
    };
    const gather = { over: 'tensor', pattern: 'all_reduce', bytes: 1, forward: 1, backward: 0 } as const;
    return exchange([gather], 'forward', { tensor: 2, context: 1, expert: 1 }, rate, { all: room, core: 0 }).exposed;
  },
  'costs/time One roofline': ({ T_x, T_y, overlap }) => overlapTime(T_x, T_y, overlap),
  'costs/time The update': () => findOptimizer('megatron_bf16')?.updated?.('bf16', false),
  'costs/time Muon': ({ d_i, d_o }) =>
    newtonSchulzKernels({ rows: d_i, columns: d_o, count: 1 }, 5).reduce(
      (sum, { flops, count }) => sum + flops * count,
      0,
    ),
  'costs/state What a framework holds': ({ context, communicator, most }) => {
    const groups = { pipeline: true, tensor: 8, context: 1, data: 4, expert: 1 };
    const found = frameworkBytes(groups, { context, communicator, reservedMost: most });
    return found.context + found.communicators;
  },
  // Three equal stages, whose weights are too large for replicas over a slow link.
  'schedules/dapple Planning': ({ m, F, B }) =>
    runOf(`device card { memory = 80GiB }
cluster box { gpu[3] = card  link = 1GB/s }
model toy { layer block[3] { forward = ${F * 1e3}ms  backward = ${B * 1e3}ms  weights = 10GB } }
pipeline train { model = toy  devices = box  microbatches = ${m}  stages = plan(dapple)  schedule = 1f1b }
`).run.report.plan?.value,
  'schedules/pipeswitch pipeswitch': switched,
  'schedules/pipeswitch How `best` is found': switched,
  'schedules/hetpipe Staleness': mostMissed,
  'schedules/hetpipe Time of a push': ({ S = 0, servers = 1, ...values }) => {
    const { alpha: latency, beta: bandwidth } = greek(values);
    return serversOf({ servers, link: { bandwidth, latency, duplex: 'full' } }).push(S, 0).until;
  },
  'communication/README Collectives': (values) => {
    const { n, S, servers } = values;
    if (servers === undefined) return acrossNodes(values);
    const keys = `collective = ps(servers = ${servers}, link = ${values['link']}B/s)`;
    return iterationOf(`layer all { ${still}  weights = ${S}B }`, { ...greek(values), n }, keys);
  },
  'communication/README Channels': ({ g: heads = 1, inside = 0, card = 0 }) => {
    const { push } = nvlsCall({ heads, nodes: 2, inside: inside * heads, card }, 'nvls');
    // Of 16 ranks.
    return push.kind === 'linear' ? (2 * 15) / 16 / heads / push.perByte : undefined;
  },
  'communication/blueconnect Figures': (values) =>
    iterationOf(`layer all { ${still}  weights = ${values['S']}B }`, greek(values), 'collective = ring'),
  'communication/byteps byteps': (values) =>
    1 /
    iterationOf(
      `layer all { ${still}  weights = 1B }`,
      greek(values),
      `collective = trees(servers = ${values['servers']})`,
    ),
  'communication/ddp_horovod Figures': (values) => {
    const { ready = 0, S = 0 } = values;
    const front = `layer front { forward = 0ms  backward = 1ms  weights = ${S / 2}B }`;
    const back = `layer back { forward = 0ms  backward = ${ready * 1e3}ms  weights = ${S / 2}B }`;
    return iterationOf(`${front}  ${back}`, greek(values), 'sync = overlap  collective = ring');
  },
  'communication/placement What is searched': ({ [String.raw`\alpha`]: alpha, [String.raw`\beta`]: beta, S }) =>
    runOf(`device card { memory = 80GiB }
cluster box { gpu[2] = card  link = ${beta}B/s + ${alpha * 1e6}us }
model toy { layer block[2] { forward = 0ms  backward = 0ms  output = ${S}B } }
pipeline train { model = toy  devices = box  microbatches = 1  stages = balance(2)  schedule = gpipe }
`).run.report.iteration / 2,
  // Each worker sends and receives, 4 bytes for a number.
  'communication/poseidon Figures': (values) => {
    const { b, n, d_i = 1, d_o = 1 } = values;
    const link = { ...values, alpha: 0, beta: 4e9 };
    if (b !== undefined) return 2 * 1e9 * iterationOf(fullyConnected(d_i, d_o), link, 'sync = hybrid');
    // A node pushes and pulls what its server has not, and the server the same for the others.
    return 2 * 1e9 * iterationOf(fullyConnected(d_i, d_o), { ...link, n }, 'collective = ps(colocated = true)');
  },
  'communication/adam Figures': ({ d_i = 1, d_o = 1 }) => {
    const link = { n: 8, alpha: 0, beta: 4e9 };
    const pull = 1e9 * iterationOf(fullyConnected(d_i, d_o), link, 'collective = ps') - d_i * d_o;
    return 1e9 * iterationOf(fullyConnected(d_i, d_o), link, 'collective = ps(push = factors)') - pull;
  },
  'communication/tictac Figures': ({ worst = 0, best = 0 }) => {
    // The beginning of its example, with the first pipeline.
    const [text] = textOf('examples/systems/tictac.pipe').split(/^expect /m);
    // Pushes take as long as pulls, and come first.
    const end = runOf(text).run.report.iteration - 4e-3;
    return (worst - end) / (worst - best);
  },
  'communication/welder The model': ({ x = 1, d_i = 1, d_o = 1, rows, columns }) => {
    const tile = bestTile({ rows: x, inner: d_i, columns: d_o, element: 2 }, 164 * 2 ** 10);
    expect(tile).toMatchObject({ rows, columns });
    return tile.bytes;
  },
};

test('pages of schedules, costs and communication have formulas with numbers', () => {
  expect(worked.length).toBeGreaterThan(20);
  const formulas = pages
    .filter((page) => /^docs\/(?:schedules|costs|communication)\//.test(page))
    .flatMap((page) => [...textOf(page).matchAll(/^\$\$(.+)\$\$$/gm)].map(([, formula]) => `${page}: ${formula}`));
  expect(worked.map(({ page, formula }) => `${page}: ${formula}`)).toEqual(formulas);
});

const printed = (number: string, value: number): string => {
  if (/ [mµn]?s$/.test(number)) return time(value);
  if (number.endsWith('B/s')) return show(value, 'bandwidth');
  if (number.endsWith('FLOP')) return show(value, 'flops');
  return number.endsWith('B') ? bytes(value) : value.toLocaleString('en');
};

test.each(worked)('$page, $heading: $formula is $number', ({ page, heading, formula, values, number }) => {
  const value = valueOf(formula, values);
  expect(number).toBe(printed(number, value));
  const [, folder, name = ''] = /^docs\/(\w+)\/(.+)\.md$/.exec(page) ?? [];
  const computed = engine[`${folder}/${name} ${heading}`];
  const found = computed === undefined ? idleOf(heading, values) : computed(values);
  expect((found ?? NaN) / value).toBeCloseTo(1, 9);
});
