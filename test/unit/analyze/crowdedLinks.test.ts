/** Links that operations of several stages share, against bytes and seconds counted by hand. */
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../../engine/analyze/alternatives.ts';
import { parametersOf } from '../../../engine/findings/finding.ts';
import { kindOf, rowOf } from '../../../engine/values/program.ts';
import { endAt, startAt } from '../../../engine/values/timeline.ts';
import { analyse, runOf } from '../../support/analyse.ts';

/** Both stages have a rank in each node, so what they exchange goes through both cards. */
const block = 'layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB }';
const file = (more: string, card = '10GB/s', layers = block) => `
model toy { ${layers} }
device gpu { memory = 80GiB }
cluster pair {
  switch core {}
  node[2] { gpu[2] = gpu  switch nic { ports = gpu[0..1]  link = 1000GB/s }  link nic -- core = ${card} }
}
pipeline p { model = toy  devices = pair  data = 2  stages = balance(2)  microbatches = 8  schedule = 1f1b  rank_order = tp_cp_pp_dp  ${more} }
`;

function shared(text: string) {
  const { findings } = analyse(text);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [found] = findings.filter(({ code }) => code === 'comm/shared-card');
  expect(found.severity).toBe('information');
  return found === undefined ? undefined : parametersOf(found, 'comm/shared-card');
}

describe('two stages of 1 GB of weights and 1 GB of gradients, of which half leaves each node', () => {
  const bytesOf = (text: string): number =>
    runOf(text).plan.crowdedLinks?.[0]?.users.reduce((sum, { bytes }) => sum + bytes, 0) ?? NaN;
  const secondsOf = (text: string): number => runOf(text).run.report.iteration;

  /*
   * A forward gathers for 50 ms alone, a backward gathers and scatters for 100 ms, and computing hides behind it. 1F1B of two stages: the
   * first forward and the last backward are alone, and in all else both stages send at half of their rates. So the card is always full.
   */
  test('FSDP: two gathers and a scatter in each of 8 microbatches', () => {
    const text = file('optimizer = adam_mixed(shard = fsdp)');
    expect(bytesOf(text)).toBeCloseTo(8 * 3e9, 0);
    expect(secondsOf(text)).toBeGreaterThanOrEqual(2.4);
    // Computing of 1 ms at either end, which no gather hides.
    expect(secondsOf(text)).toBeCloseTo(2.4 + 2e-3, 4);
    // What devices do takes as long as the card lets it.
    const { program, busy, ...timeline } = runOf(text).run.timeline;
    const spans = [...program.order.keys()].map(
      (at) => endAt({ ...timeline, program }, at) - startAt({ ...timeline, program }, at),
    );
    for (let device = 0; device < program.devices; device += 1) {
      const own = spans.slice(program.offsets[device], program.offsets[device + 1]);
      expect(busy[device]).toBeCloseTo(
        own.reduce((sum, each) => sum + each, 0),
        12,
      );
    }
  });
  // A backward scatters for 50 ms alone, forwards send nothing. The gathers of both stages follow.
  test('ZeRO-2: a scatter in each, and a gather', () => {
    const text = file('optimizer = adam_mixed(shard = zero2)');
    expect(bytesOf(text)).toBeCloseTo(9e9, 0);
    expect(secondsOf(text)).toBeGreaterThanOrEqual(0.9);
    expect(secondsOf(text)).toBeLessThan(0.9 + 2e-3);
  });
  // All is exchanged after the operations, which are those of the same order without an exchange.
  test('FSDP that keeps weights: a gather and a scatter', () => {
    const text = file('optimizer = adam_mixed(shard = fsdp, reshard = false)');
    expect(bytesOf(text)).toBeCloseTo(2e9, 0);
    expect(secondsOf(text)).toBeCloseTo(secondsOf(file('optimizer = adam_mixed(shard = zero1)')), 12);
  });
  test('of copies of stages, each moves its half of the microbatches', () => {
    const keys = 'optimizer = adam_mixed(shard = fsdp)';
    expect(bytesOf(file(keys).replace('1f1b', 'chimera'))).toBeCloseTo(bytesOf(file(keys)), 0);
  });
  test('a card that has room for both, or a stage in each node, changes nothing', () => {
    const keys = 'optimizer = adam_mixed(shard = fsdp)';
    const { plan, run } = runOf(file(keys, '100GB/s').replaceAll('= 1ms', '= 100ms'));
    expect(run.timeline.timing.crowd).toBeUndefined();
    const { crowdedLinks, ...without } = plan;
    expect(crowdedLinks).toHaveLength(1);
    expect(outcomeOf(without)?.iteration).toBe(run.report.iteration);
    const apart = file(keys).replace('rank_order = tp_cp_pp_dp', '');
    expect(runOf(apart).plan.crowdedLinks).toBeUndefined();
  });
  test('servers send other bytes', () => {
    expect(runOf(file('collective = ps')).plan.crowdedLinks).toBeUndefined();
  });
  // Both devices of a message wait for each other, and the card is full all the same but for what each computes alone.
  test('sends and receives that block', () => {
    const seconds = secondsOf(file('optimizer = adam_mixed(shard = fsdp)  transfer = rendezvous(batched = true)'));
    expect(seconds).toBeGreaterThanOrEqual(2.4);
    expect(seconds).toBeCloseTo(2.4 + 2e-3, 4);
  });
  test('operations of a slot send together', () => {
    const text = file('optimizer = adam_mixed(shard = fsdp)').replace('= 1f1b', '= dualpipe_v(overlap = 100%)');
    const { plan, run } = runOf(text.replace('balance(2)', 'balance(4)').replace('block[2]', 'block[4]'));
    const { program, timeline } = run;
    const [{ operations, bandwidth }] = plan.crowdedLinks ?? [];
    const bytesAt = (position: number): number => {
      const { forward = 0, input = 0, weight = 0 } = operations.find(({ stage }) => stage === stageOf(position)) ?? {};
      return [forward, input + weight, input, weight][kindOf(program, program.order[position])];
    };
    const stageOf = (position: number): number => rowOf(program, program.order[position]) % program.stages;
    const slots = [...program.order.keys()].filter((position) => program.fused?.[position] === 1);
    expect(slots.length).toBeGreaterThan(0);
    // Of two slots that run at once, none has more than the card.
    for (const position of slots) {
      const seconds = endAt(timeline, position) - startAt(timeline, position);
      expect(seconds).toBeGreaterThanOrEqual(((bytesAt(position) + bytesAt(position + 1)) / bandwidth) * (1 - 1e-9));
    }
  });
});

/*
 * Gathers of 0.5 GB and 0.2 GB through a card of 10 GB/s. The second stage computes for 100 ms, so that it asks for 2 GB/s. The first asks
 * for all of the card: 50 ms alone, and 8 GB/s next to the second.
 */
test('a stage that asks for less than its half gets all that it asks for', () => {
  const layers = `layer a { forward = 1ms  backward = 1ms  weights = 1GB }
  layer b { forward = 100ms  backward = 100ms  weights = 0.4GB }`;
  const text = file('optimizer = adam_mixed(shard = fsdp)', '10GB/s', layers).replace('1f1b', 'gpipe');
  const { timeline } = runOf(text).run;
  const { program } = timeline;
  const at = (device: number, microbatch: number): readonly number[] => {
    const position = program.offsets[device] + microbatch;
    return [startAt(timeline, position), endAt(timeline, position)].map((seconds) => Math.round(seconds * 1e6) / 1e3);
  };
  expect(at(0, 0)).toEqual([0, 50]);
  expect(at(1, 0)).toEqual([50, 150]);
  expect(at(0, 1)).toEqual([50, 112.5]);
  // 37.5 ms at 8 GB/s and then 2.5 of its 5 GB/s in the pause, as the second stage goes on.
  expect(at(0, 2)).toEqual([112.5, 175]);
});

describe('ranks that work on a microbatch together', () => {
  /** Two ranks of each stage in each of two nodes. */
  const layers = (more: string, microbatches: number) => `
model m { sequence = 1024  micro_batch = 1
  layer block[4] = transformer(hidden = 1024, heads = 8, experts = 4, experts_per_token = 2) }
device gpu { memory = 80GiB  compute = 1000TFLOPS }
cluster pair {
  switch core {}
  node[2] { gpu[4] = gpu  link = 1000GB/s  switch nic { ports = gpu[0..3]  link = 1000GB/s }  link nic -- core = 1GB/s }
}
pipeline p { model = m  devices = pair  stages = balance(2)  microbatches = ${microbatches}  schedule = 1f1b  rank_order = tp_cp_pp_dp  optimizer = adam_mixed  ${more} }
`;
  const through = (text: string): number =>
    Math.max(
      ...(runOf(text).plan.crowdedLinks ?? []).map(({ users }) => users.reduce((sum, { bytes }) => sum + bytes, 0)),
    );
  test('of four experts ranks, each of two ranks of a node sends half of its tokens to the other node', () => {
    const keys = 'data = 4  expert = 4';
    const { stages } = runOf(layers(keys, 1)).run.report;
    // A rank sends 3/4 of its tokens to others, and 2/4 to the other node.
    const leaves = stages.reduce((sum, { traffic }) => sum + 2 * (2 / 3) * (traffic?.expert?.bytes ?? NaN), 0);
    expect(leaves).toBeGreaterThan(0);
    expect((through(layers(keys, 3)) - through(layers(keys, 1))) / 2).toBeCloseTo(leaves, 0);
    expect(shared(layers(keys, 8))?.stages).toEqual(['s0', 's1']);
    expect(runOf(layers(keys, 8)).run.report.iteration).toBeGreaterThanOrEqual(through(layers(keys, 8)) / 1e9);
  });
  // Of one stage, gathers and tokens go through one card. Computing hides both, but not each other.
  test('of one stage, no operation is faster than the card with all that it sends', () => {
    const keys = 'data = 8  expert = 8  overlap(expert) = 100%';
    const text = layers(keys, 1)
      .replace('balance(2)', 'balance(1)')
      .replace('experts = 4,', 'experts = 8,')
      .replace('optimizer = adam_mixed', 'optimizer = adam_mixed(shard = fsdp)');
    const { plan, run } = runOf(text);
    const [fullest] = (plan.crowdedLinks ?? []).toSorted(
      (a, b) => b.operations[0].forward / b.bandwidth - a.operations[0].forward / a.bandwidth,
    );
    const seconds = fullest.operations[0].forward / fullest.bandwidth;
    expect(seconds).toBeGreaterThan(plan.stages[0].forward);
    expect(endAt(run.timeline, 0) - startAt(run.timeline, 0)).toBeCloseTo(seconds, 12);
  });
});
