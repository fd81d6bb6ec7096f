/** Islands of data ranks, by hand: an island by itself, and its share of what islands exchange. */
import { describe, expect, test } from 'vitest';
import { analyse } from '../../../support/analyse.ts';

interface Case {
  readonly sync?: string;
  readonly optimizer?: string;
  readonly data?: number;
  readonly stages?: number;
  readonly nodes?: number;
  readonly link?: string;
  readonly more?: string;
}

const fileOf = ({
  sync,
  optimizer = 'adam',
  data = 4,
  stages = 1,
  nodes = 2,
  link = '1GB/s',
  more = '',
}: Case): string =>
  `model toy {
  layer front { forward = 10ms  backward = 20ms  weights = 40MB }
  layer back  { forward = 10ms  backward = 20ms  weights = 40MB }
}
device gpu { memory = 16GiB }
cluster two {
  node[${nodes}] { gpu[${(data * stages) / nodes}] = gpu  link = 100GB/s }
  link = ${link}
}
pipeline p {
  model = toy  devices = two  microbatches = 2  stages = balance(${stages})  data = ${data}  schedule = 1f1b
  rank_order = tp_cp_pp_dp  optimizer = ${optimizer}
  ${sync === undefined ? '' : `sync = ${sync}`}
  ${more}
}
`;

function reportOf(given: Case) {
  const { pipelines, findings } = analyse(fileOf(given));
  expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  const [found] = pipelines;
  if (found.run === undefined) throw new Error('it does not run');
  return { report: found.run.report, plan: found.plan };
}
const iteration = (given: Case): number => reportOf(given).report.iteration;
const messages = (given: Case): readonly string[] =>
  analyse(fileOf(given)).findings.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

/** 2 · 60 ms, and 80 MB of a layer over the pair's link of 100 GB/s that no backward hides. */
const island = 0.12 + 0.8e-3;

describe('the mean iteration', () => {
  test('has a share of what islands exchange: 160 MB over 1 GB/s after 10 updates', () => {
    expect(iteration({ sync: 'local(steps = 10, islands = 2)' })).toBeCloseTo(island + 0.16 / 10, 12);
  });

  test('hides a fragment behind the next update, in fewer bits', () => {
    const sync = 'local(10, islands = 2, fragments = 2, delay = 1, bits = 8)';
    expect(iteration({ sync })).toBeCloseTo(island, 12);
    // Without a delay 20 MB after every fifth update.
    expect(iteration({ sync: sync.replace('delay = 1', 'delay = 0') })).toBeCloseTo(island + 0.02 / 5, 12);
  });

  test('waits for what the delay does not hide', () => {
    const sync = 'local(steps = 10, islands = 2, fragments = 2, delay = 1)';
    // 80 MB over 250 MB/s take 320 ms.
    expect(iteration({ sync, link: '0.25GB/s' })).toBeCloseTo(island + (0.32 - island) / 5, 12);
  });

  test('has each data rank as an island by default, and exchanges nothing in between', () => {
    // A ring of four crosses both cards of a node: 3/4 · 160 MB · 2 over 2 GB/s.
    expect(iteration({ sync: 'local(10, outer = average)' })).toBeCloseTo(0.12 + 0.12 / 10, 12);
  });

  test('of two stages is as long as the slower exchange makes it', () => {
    const plain = iteration({ stages: 2, data: 2, sync: 'local(1000000)' });
    // Each device has 80 MB, and both pairs of devices use their own cards.
    expect(iteration({ stages: 2, data: 2, sync: 'local(10)' })).toBeCloseTo(plain + 0.08 / 10, 6);
  });

  test.each([
    // Stages of 2 and 1 layers: 160 and 80 MB of each device through its own card, or 240 MB through one card of the node.
    ['link = 1GB/s', 0.16],
    ['switch nic { ports = gpu[0..1]  link = 100GB/s }  link nic -- core = 1GB/s', 0.24],
  ])('of two stages in a node that %s', (cards, seconds) => {
    const shared = cards.startsWith('switch');
    const text = (steps: number) =>
      fileOf({ stages: 2, data: 2, sync: `local(${steps})`, link: 'LINK' })
        .replace(
          /^cluster[^]*?^}/m,
          `cluster two {\n  ${shared ? 'switch core {}\n  ' : ''}node[2] { gpu[2] = gpu  link = 100GB/s${shared ? `  ${cards}` : ''} }\n  ${shared ? '' : cards}\n}`,
        )
        .replace('layer back ', 'layer middle { forward = 10ms  backward = 20ms  weights = 40MB }\n  layer back ')
        .replace('balance(2)', 'split(2, 1)');
    const of = (steps: number): number => {
      const { pipelines, findings } = analyse(text(steps));
      expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
      return pipelines[0].run?.report.iteration ?? Number.NaN;
    };
    expect(of(1) - of(1e9)).toBeCloseTo(seconds, 6);
  });

  test.each(['none', 'zero1', 'zero2', 'fsdp'])('is an island by itself and the exchange: shard = %s', (shard) => {
    const optimizer = `adam(shard = ${shard})`;
    const alone = iteration({ optimizer, data: 2, nodes: 1, sync: 'overlap' });
    const whole = shard === 'fsdp' ? 0.08 : 0.16;
    expect(iteration({ optimizer, sync: 'local(10, islands = 2)' })).toBeCloseTo(alone + whole / 10, 12);
  });

  test('has groups of `over` as islands if the state is in parts', () => {
    const over = reportOf({ optimizer: 'adam(shard = fsdp, over = 2)', sync: 'local(10)' });
    expect(over.report.iteration).toBeCloseTo(
      iteration({ optimizer: 'adam(shard = fsdp)', sync: 'local(10, islands = 2)' }),
      12,
    );
    expect(over.plan.step[0].outer?.seconds).toBeCloseTo(0.08, 12);
  });

  test('is the mean of random times too', () => {
    const { report } = reportOf({ sync: 'local(10)', more: 'jitter = 0.1%' });
    expect(report.jitter?.p50 ?? 0).toBeGreaterThan(0.99 * (0.12 + 0.012));
  });
});

test('the report has the bytes and seconds of both exchanges', () => {
  const [{ sync }] = reportOf({ sync: 'local(10, islands = 2)' }).report.devices;
  expect(sync.bytes).toBeCloseTo(160e6 + 160e6 / 10, 3);
  expect(sync.time).toBeCloseTo(1.6e-3 + 0.016, 12);
  expect(sync.exposed).toBeCloseTo(0.8e-3 + 0.016, 12);
});

test.each([
  ['local(10)', 4],
  ['local(10, backup = device)', 8],
  ['local(10, fragments = 5, delay = 1)', 4.8],
  ['local(10, outer = average)', 0],
])('%s keeps %d bytes of each weight', (sync, bytes) => {
  const state = (rule: string): number => reportOf({ sync: rule }).plan.stages[0].optimizer;
  expect(state(sync) - state('overlap')).toBeCloseTo(bytes * 40e6, 3);
});

test('an outer update moves 92 bytes of each weight, and 16 where weights are averaged', () => {
  const seconds = (sync: string): number => {
    const { pipelines, findings } = analyse(`import { h100 } from "std:hardware"
model m { sequence = 1024  micro_batch = 1  precision = bf16
  layer a[2] = transformer(hidden = 4096, heads = 32, flash = true) }
cluster two { gpu[2] = h100  link = 25GB/s }
pipeline p { model = m  devices = two  microbatches = 1  stages = balance(1)  data = 2  schedule = 1f1b
  optimizer = adam  sync = ${sync} }`);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [{ plan }] = pipelines;
    return (plan.step[0].outer?.update ?? Number.NaN) / plan.stages[0].parameters;
  };
  // Kernels of over 512 MB reach 0.85 · 89 % of 3.35 TB/s.
  const rate = 3.35e12 * 0.76;
  expect(seconds('local(10, backup = device)') * rate).toBeCloseTo(92, 6);
  expect(seconds('local(10, outer = average)') * rate).toBeCloseTo(16, 6);
});

test.each([
  ['local(10, fragments = 3)', 'a divisor of 10'],
  ['local(10, fragments = 2, delay = 5)', 'less than 5'],
  ['local(10, bits = 7)', '4, 8, 16 or 32'],
  ['local(10, islands = 3)', 'a divisor of 4'],
  ['local(10, islands = 1)', 'at least 2'],
  ['local(10, outer = average, fragments = 2)', 'averages all weights at once'],
  ['local(10, outer = average, delay = 1)', 'averages all weights at once'],
  ['local', 'steps'],
  ['local(10, outer = adam)', 'adam'],
  ['local(0)', 'at least 1'],
])('%s is refused', (sync, part) => {
  const found = messages({ sync });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(part);
});

test('islands must be written if all ranks share the state', () => {
  expect(messages({ sync: 'local(10)', optimizer: 'adam(shard = zero1)' })[0]).toContain('written');
});

test('engines without it refuse it, and torchtitan runs it in the bits that torchft has', () => {
  const said = (engine: string, sync: string): readonly string[] =>
    analyse(fileOf({ sync, more: `engine = ${engine}` })).findings.flatMap(({ code, message }) =>
      code.startsWith('engine/') && message.includes('local') ? [message] : [],
    );
  expect(said('megatron', 'local(10)')).toHaveLength(1);
  expect(said('deepspeed', 'local(10)')).toHaveLength(1);
  expect(said('torchtitan', 'local(10)')).toEqual([]);
  expect(said('torchtitan', 'local(10, bits = 4)')).toHaveLength(1);
});
