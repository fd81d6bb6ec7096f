import { describe, expect, test } from 'vitest';
import { analyse, runOf } from '../../support/analyse.ts';

const messages = (sync: string, collective: string, layers = 4): readonly string[] =>
  analyse(`
model m { layer a[${layers}] { forward = 1ms  backward = 2ms  weights = 1MB } }
device gpu { memory = 16GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2
  sync = ${sync}  collective = ${collective} }
`).findings.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

describe('orders of pulls', () => {
  test('need pulls', () => {
    expect(messages('tictac(tio)', 'ring')).toEqual([
      '"order" is tio; it must be `ready`, `forward` or `tail`, because ring has no pulls.',
    ]);
    expect(messages('tictac', 'nccl')).toEqual([
      '"order" of tictac is tao; it must be `ready`, `forward` or `tail`, because nccl has no pulls.',
    ]);
    expect(messages('tictac', 'ps')).toEqual([]);
  });
});

describe('halves apart', () => {
  test('need a collective with halves', () => {
    expect(messages('dear', 'tree')).toEqual([
      '"halves" of dear is apart; it must be `together`, because tree has no halves.',
    ]);
    expect(messages('dear', 'ps')).toEqual([]);
    expect(messages('dear', 'halving')).toEqual([]);
  });
});

describe('buckets that are cut', () => {
  test('need a lane of their own for pushes', () => {
    expect(messages('overlap(partition = at_preemption, order = forward)', 'ps(colocated = true)')).toEqual([
      '"partition" is at_preemption; it must be a size of pieces, because pushes and pulls share one lane here.',
    ]);
    expect(messages('pace', 'ps(servers = 2, link = half(10GB/s))')).toEqual([
      '"partition" of pace is at_preemption; it must be a size of pieces, because pushes and pulls share one lane here.',
    ]);
  });
  test('and the search of buckets ends at 2,000 tensors', () => {
    expect(messages('overlap(bucket = best, barrier = false)', 'ring', 2000)).toEqual([]);
    // With a barrier, and as buckets get ready, the search is short.
    expect(messages('overlap(bucket = best)', 'ring', 2001)).toEqual([]);
    expect(messages('overlap(bucket = best, barrier = false)', 'ring', 2001)).toEqual([
      '"bucket" is best; it must be a size such as 25MiB, because the pipeline exchanges 2,001 tensors on one lane, and at most 2,000 are searched.',
    ]);
  });
  test('may have servers with two lanes, or a collective', () => {
    expect(messages('pace', 'ps(servers = 2)')).toEqual([]);
    expect(messages('pace', 'ring')).toEqual([]);
  });
});

describe('factors', () => {
  const warnings = (matrix: string): readonly string[] =>
    analyse(`
model m { layer a[4] { forward = 1ms  backward = 2ms  weights = 10MB ${matrix} } }
device gpu { memory = 16GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2  sync = hybrid }
pipeline q { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2  sync = wfbp
  collective = ps(push = factors) }
`).findings.flatMap(({ code, message }) => (code === 'key/not-applicable' ? [message] : []));
  test('need a matrix', () => {
    const reason = 'no layer is fully connected; a measured one needs its `matrix = [INPUTS, OUTPUTS]`.';
    expect(warnings('')).toEqual([
      `"hybrid" has no effect here: ${reason}`,
      `"push = factors" has no effect here: ${reason}`,
    ]);
    expect(warnings('matrix = [1000, 5000]')).toEqual([]);
  });
});

describe('what changes nothing', () => {
  const warnings = (sync: string, collective = 'ring'): readonly string[] =>
    analyse(`
model m { layer a[4] { forward = 1ms  backward = 2ms  weights = 10MB  matrix = [1000, 5000] } }
device gpu { memory = 16GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2
  sync = ${sync}  collective = ${collective} }
`).findings.flatMap(({ code, message }) => (code === 'key/not-applicable' ? [message] : []));
  test('`hybrid` with a collective that sends no factors', () => {
    expect(warnings('hybrid')).toEqual([
      '"hybrid" has no effect here: `collective = ring` sends all layers alike, none as factors. Remove `collective`, or write `collective = ps`.',
    ]);
    expect(warnings('hybrid', 'ps')).toEqual([]);
  });
  test('an early start without pieces', () => {
    expect(warnings('overlap(early_start = true, barrier = false)')).toEqual([
      '"early_start" has no effect here: buckets are sent whole, so all their layers arrive at once. Say the size of pieces: `partition`.',
    ]);
    expect(warnings('overlap(early_start = true, barrier = false, partition = 1MB)')).toEqual([]);
  });
  test('an early start behind a barrier', () => {
    const reason = 'with a barrier no layer starts before all gradients have arrived.';
    for (const sync of [
      'overlap(early_start = true, partition = 1MB)',
      'ddp(early_start = true)',
      'pace(early_start = true, barrier = true)',
    ])
      expect(warnings(sync)).toEqual([
        `"early_start" has no effect here: ${reason} Write \`barrier = false\`, or remove \`early_start\`.`,
      ]);
    expect(warnings('overlap(early_start = false, partition = 1MB)')).toEqual([]);
  });
  test('a strict credit that no piece fits', () => {
    expect(warnings('bytescheduler(partition = 4MB, credit = 1MB, strict = true)')).toEqual([
      '"strict" has no effect here: no piece of 4MB fits into a credit of 1MB, so one is sent at a time. Write `credit = 4MB` or more, or a smaller `partition`.',
    ]);
    expect(warnings('bytescheduler(partition = 4MB, credit = 1MB)')).toEqual([]);
    expect(warnings('bytescheduler(partition = 4MB, credit = 4MB, strict = true)')).toEqual([]);
  });
});

test('a collective is no rule, and a rule is no collective: the message names the key that takes it', () => {
  const messages = (keys: string): readonly string[] =>
    analyse(`
model m { layer a[8] { forward = 1ms  backward = 2ms  weights = 40MB } }
device gpu { memory = 64GiB }
cluster c { gpu[4] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 2 stages = balance(1) schedule = 1f1b data = 4 ${keys} }
`).findings.flatMap(({ code, message }) => (code === 'name/unknown' ? [message] : []));
  expect(messages('sync = ring')).toEqual([
    'Unknown rule of exchange "ring". ring is a collective: write "collective = ring".',
  ]);
  expect(messages('sync = ps(servers = 2)')).toEqual([
    'Unknown rule of exchange "ps". ps is a collective: write "collective = ps".',
  ]);
  expect(messages('collective = ddp')).toEqual([
    'Unknown collective "ddp". ddp is a rule of exchange: write "sync = ddp".',
  ]);
  expect(messages('collective = rng')).toEqual(['Unknown collective "rng". Did you mean "ring"?']);
});

test('a rule that does not apply to gradients in parts leaves weights to be gathered as with `overlap`', () => {
  const iteration = (sync: string): number =>
    runOf(`
model m { layer a[8] { forward = 1ms  backward = 2ms  weights = 40MB } }
device gpu { memory = 64GiB }
cluster c { gpu[4] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 2 stages = balance(1) schedule = 1f1b data = 4
  optimizer = adam_mixed(shard = zero2)  sync = ${sync} }
`).run.report.iteration;
  expect(iteration('ddp')).toBe(iteration('overlap'));
  expect(iteration('ddp')).toBeLessThan(iteration('end'));
});

describe('gradients in parts', () => {
  const fileOf = (optimizer: string, keys: string): string => `
model m { layer a[8] { forward = 1ms  backward = 2ms  weights = 40MB } }
device gpu { memory = 64GiB }
cluster c { gpu[4] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 2 stages = balance(1) schedule = 1f1b data = 4
  optimizer = adam_mixed(${optimizer})  ${keys} }
`;
  const advice = (optimizer: string, keys: string): readonly string[] =>
    analyse(fileOf(optimizer, keys)).findings.flatMap(({ code, message }) =>
      code === 'key/not-applicable' ? [message.replace(/^(.*) has no effect here: .*\. (.*)$/, '$1: $2')] : [],
    );
  test('advice ends: what it says to write has no such finding', () => {
    expect(advice('fsdp', 'sync = ddp  collective = ring')).toEqual(['"sync": Remove `sync` and `collective`.']);
    expect(advice('fsdp', 'sync = overlap  collective = ring')).toEqual(['"sync": Remove `sync` and `collective`.']);
    expect(advice('fsdp', 'sync = overlap')).toEqual(['"sync": Remove `sync`.']);
    expect(advice('fsdp', 'sync = ddp')).toEqual(['"sync": Remove `sync`.']);
    expect(advice('fsdp', 'collective = ring')).toEqual(['"collective": Remove `collective`.']);
    expect(advice('fsdp', '')).toEqual([]);
    for (const optimizer of ['zero2', 'fsdp, reshard = false']) {
      expect(advice(optimizer, 'sync = ddp  collective = ring')).toEqual([
        '"sync": Write `sync = overlap`, and remove `collective`.',
      ]);
      expect(advice(optimizer, 'sync = ddp')).toEqual(['"sync": Write `sync = overlap`.']);
      expect(advice(optimizer, 'sync = overlap  collective = ring')).toEqual(['"collective": Remove `collective`.']);
      expect(advice(optimizer, 'sync = overlap')).toEqual([]);
    }
  });
  test('an `overlap` keeps its buckets where a collective has no effect', () => {
    const iteration = (keys: string): number => runOf(fileOf('zero2', keys)).run.report.iteration;
    const whole = iteration('sync = overlap(bucket = 1GB)');
    expect(iteration('sync = overlap(bucket = 1GB)  collective = ring')).toBe(whole);
    expect(whole).toBeGreaterThan(iteration('sync = overlap'));
  });
});
