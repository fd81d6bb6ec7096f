/** Stages that exchange gradients through one network card, against bytes through the card counted by hand. */
import { describe, expect, test } from 'vitest';
import { sharedCardFinding } from '../../../engine/analyze/sharedCard.ts';
import { parametersOf } from '../../../engine/findings/finding.ts';
import { analyse, runOf } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';

/** Stages of 1 GB of gradients over two nodes, each with a card of 10 GB/s. */
const file = (more: string, card = '10GB/s') => `
model two { precision = fp32  layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB } }
device g { memory = 80GiB }
cluster c {
  switch core {}
  node[2] { gpu[4] = g  switch nic { ports = gpu[0..3]  link = 100GB/s }  link nic -- core = ${card} }
}
pipeline p { model = two  devices = c  microbatches = 1  schedule = 1f1b  ${more} }
`;
/** Ranks of each stage are in both nodes. */
const across = 'data = 4  stages = balance(2)  rank_order = tp_cp_pp_dp';
/** A half of the bytes through the card, then 5 ms inside. */
const levels = `${across}  collective = blueconnect`;

function cards(text: string, files = {}) {
  const { findings } = analyse(text, { files });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return findings.filter(({ code }) => code === 'comm/shared-card');
}

const ms = (seconds: number | undefined): number => Math.round((seconds ?? NaN) * 1e6) / 1e3;
const iterationOf = (text: string): number => ms(runOf(text).run.report.iteration);

test('sharing that costs less than 0.5 % of the iteration is not reported', () => {
  const [found] = cards(file(across));
  const { cost } = parametersOf(found, 'comm/shared-card') ?? {};
  const seconds = cost?.seconds ?? NaN;
  expect(seconds).toBeGreaterThan(0);
  // Longer forwards on both devices make the share smaller, and the cost stays.
  const withShare = (share: number) => {
    const forward = 1e-3 + (seconds / share - 0.213) / 2;
    return cards(file(across).replace('forward = 1ms', `forward = ${forward * 1e3}ms`));
  };
  expect(withShare(0.0049)).toEqual([]);
  expect(withShare(0.0051)).toHaveLength(1);
});

/** Backwards of the second stage end at 3 ms, and of the first at 4 ms. */
describe('iteration, ms', () => {
  // Trees of two nodes: 1 GB of each stage through the card, of which trees use 0.92. The card is busy from 3 ms on.
  test.each(['', 'sync = end', 'sync = overlap', 'sync = ddp'])('trees of nodes: %s', (sync) => {
    expect(iterationOf(file(`${across}  ${sync}`))).toBeCloseTo(3 + 200 / 0.92, 2);
  });
  // 5 ms inside the node, then 50 ms of each stage's 100 ms twice, at half the rate but for 1 ms, then 5 ms inside.
  test.each(['collective = blueconnect', 'sync = overlap  collective = blueconnect'])('level by level: %s', (sync) => {
    expect(iterationOf(file(`${across}  ${sync}`))).toBe(213);
  });
  // Four flows of each stage, two in each direction, share one bus: 200 ms of each stage's 210 ms.
  test('a bus between nodes', () => {
    const bus = file(`${levels}  sync = overlap`)
      .replace('switch nic { ports = gpu[0..3]  link = 100GB/s }  link nic -- core = 10GB/s', 'link = 100GB/s')
      .replace('switch core {}', 'link = shared(10GB/s)');
    expect(iterationOf(bus)).toBe(413);
  });
  // One ring through both nodes: 1.5 GB of each stage through each card.
  test.each(['collective = ring', 'sync = overlap  collective = ring', 'sync = overlap  collective = halving'])(
    '%s',
    (sync) => {
      expect(iterationOf(file(`${across}  ${sync}`))).toBe(303);
    },
  );
  // 2 GB of each stage, as all bytes go up and down a tree.
  test('tree', () => {
    expect(iterationOf(file(`${across}  sync = overlap  collective = tree`))).toBe(403);
  });
  // The ranks of a stage in a node sum up and push 1 GB, then pull it: 200 ms in each direction of the card for two stages. In the 1 ms in which the second stage pushes
  // and the first does not yet, it uses the card alone, and so it is the first to pull.
  test.each(['collective = ps', 'sync = overlap  collective = ps'])('servers: %s', (sync) => {
    expect(iterationOf(file(`${across}  ${sync}`))).toBe(402);
  });
  // The server takes 5 GB/s from each of 2 nodes, so a card carries 5 GB/s for each stage, and both fit.
  test('one server for each stage', () => {
    expect(iterationOf(file(`${across}  sync = overlap  collective = ps(servers = 1, link = 10GB/s)`))).toBe(404);
  });
  // The card is busy from 8 to 208 ms: the second stage gathers while the first scatters.
  test('halves that are apart', () => {
    expect(iterationOf(file(`${levels}  sync = overlap(halves = apart)`))).toBe(213);
  });
  // The card is all that takes time, and it has room for one stage.
  test('servers on the workers', () => {
    const seconds = iterationOf(file(`${across}  sync = overlap  collective = ps(colocated = true)`));
    const alone = iterationOf(file(`${across}  sync = overlap  collective = ps(colocated = true)`, '20GB/s'));
    expect(seconds - 3).toBeCloseTo(2 * (alone - 3), 6);
  });
  // Both stages gather their weights from 0 on: 100 ms through the card and 5 ms inside the node. Gradients of the second stage are there
  // 3 ms later, reach the card after 5 ms, and use it alone for 1 ms of the 100 ms.
  test.each([...['sync = overlap', 'sync = overlap(order = forward)']])('state in parts: %s', (sync) => {
    expect(iterationOf(file(`${levels}  ${sync}  optimizer = adam(shard = zero1)`))).toBe(213);
    expect(iterationOf(file(`${levels}  ${sync}  optimizer = adam(shard = zero1)`, '20GB/s'))).toBe(113);
    // A ring carries three quarters of each stage's bytes there and as many back.
    expect(iterationOf(file(`${across}  ${sync}  optimizer = adam(shard = zero1)`))).toBe(303);
  });
  // Parts of 0.25 GB are on two ranks of each node: these send 0.5 GB of each stage through the card, which is busy from the second stage's last backward on.
  test('weights in parts inside nodes: between nodes only gradients, of both stages 1 GB', () => {
    const keys = `${across}  optimizer = adam_mixed(shard = fsdp, over = 2)`;
    expect(iterationOf(file(keys)) - iterationOf(file(keys, '20GB/s'))).toBeCloseTo(50, 3);
  });
  test('a card of twice the bandwidth, and a stage in each node', () => {
    expect(iterationOf(file(`${levels}  sync = overlap`, '20GB/s'))).toBe(113);
    expect(iterationOf(file('data = 4  stages = balance(2)  sync = overlap'))).toBeLessThan(113);
  });
});

describe('comm/shared-card', () => {
  test.each(['sync = end', 'sync = overlap', 'sync = overlap(order = forward)'])(
    'says what sharing costs: %s',
    (sync) => {
      const [found, ...others] = cards(file(`${levels}  ${sync}`));
      expect(others).toEqual([]);
      // Alone, the first stage has exchanged at 4 + 110 ms. Half of 1 GB goes through a card twice, for each stage.
      expect(found).toMatchObject({ severity: 'information' });
      expect(found.message).toContain('s0 and s1 share the link nic – core of 10 GB/s');
      expect(found.message).toContain('99 ms longer (46.5 %)');
      expect(found.message).toContain('1.86 GiB through it in each iteration, which takes at least 200 ms');
    },
  );
  test.each(['collective = best', 'sync = overlap  collective = plink', 'sync = overlap  collective = trees'])(
    'warns where the simulation does not share the link: %s',
    (sync) => {
      const [found] = cards(file(`${across}  ${sync}`));
      expect(found).toMatchObject({ severity: 'warning' });
      expect(found.message).toContain('gradients of s0 and s1 go through the link nic – core of 10 GB/s');
      expect(found.message).toContain('1.86 GiB in each iteration, which need at least 200 ms');
    },
  );
  test('names the slowest of the links with the same flows', () => {
    const [found] = cards(
      file(`${across}  sync = overlap`).replace(
        /node\[2\] .*/,
        `node[2] { node[2] { gpu[2] = g  switch nic { ports = gpu[0..1]  link = 100GB/s }  link nic -- up = 40GB/s }
  switch up {}  link up -- core = 10GB/s }`,
      ),
    );
    expect(found.message).toContain('the link up – core of 10 GB/s');
  });
  test('counts gathers that only the start of an iteration has at once', () => {
    const apart = file(`${levels}  sync = overlap  optimizer = adam(shard = zero1)`).replace(
      'layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB }',
      'layer front { forward = 1ms  backward = 300ms  weights = 1GB }  layer back { forward = 1ms  backward = 1ms  weights = 1GB }',
    );
    // The first stage gathers in 105 ms instead of 55 ms.
    expect(cards(apart)[0]?.message).toContain('the iteration is 50 ms longer');
  });
  test.each([
    ['one stage', file('data = 8  stages = balance(1)')],
    ['stages in nodes of their own', file('data = 4  stages = balance(2)')],
    [
      'links of their own',
      file(across).replace('link nic -- core = 10GB/s', '').replace('switch core {}', 'link = 10GB/s'),
    ],
  ])('is left out for %s', (_, text) => {
    expect(cards(text)).toEqual([]);
  });
  test.each(['sync = end', 'collective = best'])('is left out where stages exchange one after another: %s', (sync) => {
    // The backward of the first stage takes longer than the other's exchange.
    const apart = file(`${across}  ${sync}`).replace(
      'layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB }',
      'layer front { forward = 1ms  backward = 300ms  weights = 1GB }  layer back { forward = 300ms  backward = 1ms  weights = 1GB }',
    );
    expect(cards(apart)).toEqual([]);
  });
});

describe('what a device waits for', () => {
  const report = (sync: string, rest = levels) => runOf(file(`${rest}  ${sync}`)).run.report;
  test('is 99 ms of sharing, of 110 ms that a stage sends alone', () => {
    const { exposed } = report('sync = overlap(order = forward)').exchange ?? {};
    expect({ own: ms(exposed?.own), shared: ms(exposed?.shared), barrier: ms(exposed?.barrier) }).toEqual({
      ...{ own: 110, shared: 99, barrier: 0 },
    });
    expect(ms(exposed?.total)).toBe(209);
  });
  test('is divided among pushes and pulls', () => {
    const { exposed } = report('sync = overlap  collective = ps', across).exchange ?? {};
    expect({ own: ms(exposed?.own), server: ms(exposed?.server), shared: ms(exposed?.shared) }).toEqual({
      ...{ own: 100, server: 100, shared: 198 },
    });
  });
  test('is in the bound: the card takes 200 ms, after 2 ms of work where all follows the last operation', () => {
    const bound = report('sync = overlap(order = forward)').exchange?.bound ?? 0;
    expect(bound).toBeGreaterThanOrEqual(0.2 - 1e-12);
    expect(report('sync = end').bubble.bound).toBeCloseTo(1 - 2 / 202, 9);
  });
  test('is in the time of the exchange without a rule too', () => {
    const [{ sync }] = report('sync = end').devices;
    expect([ms(sync.time), ms(sync.exposed)]).toEqual([209, 209]);
  });
});

test('copies of stages send once through the card', () => {
  // Two groups of four ranks hold two stages of 1 GB each: 10 ms inside, 2 GB twice through the card, 10 ms inside.
  const text = file('data = 2  stages = balance(4)  rank_order = tp_cp_pp_dp  collective = blueconnect')
    .replace('schedule = 1f1b', 'schedule = chimera')
    .replace('microbatches = 1', 'microbatches = 4')
    .replace('block[2]', 'block[4]');
  const { run } = runOf(text);
  const { last } = run.timeline;
  // The card is busy from when the first group has reduced inside its nodes.
  const first = Math.min(Math.max(last[0], last[3]), Math.max(last[1], last[2]));
  expect(ms(run.report.iteration - first)).toBe(10 + 400 + 10);
  const [found] = cards(text);
  expect(found.message).toContain('s0, s1, s2 and s3 share the link');
  expect(found.message).toContain('takes at least 400 ms');
});

const anyFile = fc.record({
  sync: fc.constantFrom('end', 'overlap', 'overlap(order = forward, barrier = false)', 'bytescheduler', 'dear', 'pace'),
  collective: fc.constantFrom('', 'ring', 'halving', 'tree', 'nccl', 'blueconnect', 'ps', 'ps(colocated = true)'),
  microbatches: fc.integer({ min: 1, max: 3 }),
  weights: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 4 }),
  backward: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 4, maxLength: 4 }),
});

test('no iteration is under its bound, and causes add up to the waits', () => {
  fc.assert(
    fc.property(anyFile, ({ sync, collective, microbatches, weights, backward }) => {
      const layers = weights.map(
        (megabytes, at) => `layer l${at} { forward = 1ms  backward = ${backward[at]}ms  weights = ${megabytes}MB }`,
      );
      const named =
        collective === '' || sync === 'dear' || (sync === 'pace' && collective.startsWith('ps'))
          ? ''
          : `collective = ${collective}`;
      const text = file(`${across}  sync = ${sync}  ${named}`)
        .replace(/layer block.*\}(?= \})/, layers.join('\n'))
        .replace('microbatches = 1', `microbatches = ${microbatches}`);
      const { report } = runOf(text).run;
      const { bound = 0, exposed, period = 0, lanes = [] } = report.exchange ?? {};
      expect(period).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
      expect(report.bubble.makespan).toBeGreaterThanOrEqual(report.bubble.bound - 1e-9);
      if (exposed === undefined) return;
      const { device: _device, total, ...causes } = exposed;
      expect(Object.values(causes).reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(total, 9);
      for (const seconds of Object.values(causes)) expect(seconds).toBeGreaterThan(-1e-9);
      // Through a card, bytes of both stages.
      expect(lanes).toHaveLength(2);
    }),
    { numRuns: 30 },
  );
});

describe('a link that the simulation does not share', () => {
  const { plan: whole, run } = runOf(file(`${across}  collective = best`));
  const { crowdedLinks: _, ...plan } = whole;
  const [known] = plan.sharedLinks ?? [];
  const found = (links: typeof plan.sharedLinks) => {
    const [finding] = sharedCardFinding({ ...plan, sharedLinks: links }, run);
    return finding === undefined ? undefined : parametersOf(finding, 'comm/shared-card');
  };
  test('is no cause of one stage that sends more than it has time for', () => {
    const [first, second] = known.users;
    expect(found([{ ...known, users: [{ ...first, bytes: 1e12 }] }])).toBeUndefined();
    expect(found([{ ...known, users: [first, { ...second, bytes: 1e12 }] }])?.bytes).toBe(1e12 + first.bytes);
  });
  test('is the one that lacks most of its time, wherever it is listed', () => {
    const slow = { ...known, link: 'slow', bandwidth: known.bandwidth / 2 };
    for (const links of [
      [known, slow],
      [slow, known],
    ])
      expect(found(links)).toMatchObject({ link: 'slow', unshared: { least: 0.4 } });
  });
});

test('switches between nodes that sum up get less through a card than ranks send each other', () => {
  expect(runOf(file(across)).plan.crowdedLinks).toHaveLength(1);
  expect(runOf(file(`${across}  collective = nccl(algorithm = collnet_chain)`)).plan.crowdedLinks).toBeUndefined();
});

test('weights that stay on two neighbours leave no node for a backward', () => {
  const bytesOf = (reshard: string): number | undefined =>
    runOf(
      file(`${across}  optimizer = adam_mixed(shard = fsdp, reshard = ${reshard})`),
    ).plan.crowdedLinks?.[0]?.users.reduce((sum, { bytes }) => sum + bytes, 0);
  // Of each stage a half of 0.5 GB in a gather, and as much in a scatter.
  expect(bytesOf('true')).toBeCloseTo(2 * 3 * 0.25e9, 0);
  expect(bytesOf('2')).toBeCloseTo(2 * 2 * 0.25e9, 0);
});

describe('an asynchronous schedule', () => {
  const asynchronous = (card: string, stages = across) => file(stages, card).replace('1f1b', 'pipedream');
  const found = (card: string, stages = across) => cards(asynchronous(card, stages));
  test('shares the card: 2 GB need 200 ms in each iteration, which has one update', () => {
    const [finding, ...others] = found('10GB/s');
    expect(others).toEqual([]);
    expect(finding.severity).toBe('information');
    const { bytes, cost } = parametersOf(finding, 'comm/shared-card') ?? {};
    expect(bytes).toBeCloseTo(2e9, 0);
    expect(ms(cost?.full)).toBe(200);
    expect(iterationOf(asynchronous('10GB/s'))).toBeGreaterThanOrEqual(200);
  });
  // Each rank sends half of 1 GB twice, and a message of 1 GB to the other stage, or a gradient of 1 GB back.
  test('shares it with messages between stages, of which each is alone in its nodes', () => {
    const four = `
model toy { layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB  output = 1GB  activation = 1GB } }
device gpu { memory = 800GiB }
cluster four {
  switch core {}
  node[4] { gpu[1] = gpu  switch nic { ports = gpu[0]  link = 1000GB/s }  link nic -- core = 10GB/s }
}
pipeline p { model = toy  devices = four  data = 2  stages = balance(2)  microbatches = 1  schedule = pipedream  optimizer = adam_mixed }
`;
    expect(iterationOf(four)).toBeCloseTo(200, 6);
  });
  test('with enough time for both stages, or with a stage in each node, has none', () => {
    expect(found('1000GB/s')).toEqual([]);
    expect(found('10GB/s', 'data = 4  stages = balance(2)')).toEqual([]);
  });
});

test('pipelines of one cluster whose ranks form other groups crowd other links', () => {
  const inside = 'data = 2  stages = balance(2)  rank_order = tp_cp_pp_dp  collective = blueconnect';
  const crowdedIn = (text: string) => analyse(text).pipelines.map(({ plan }) => plan.crowdedLinks);
  const [first, second] = [levels, inside].flatMap((more) => crowdedIn(file(more)));
  expect(first).not.toEqual(second);
  const both = (one: string, other: string) =>
    crowdedIn(`${file(one)}${file(other).split('\n').at(-2)?.replace('pipeline p', 'pipeline q')}\n`);
  expect(both(levels, inside)).toEqual([first, second]);
  expect(both(inside, levels)).toEqual([second, first]);
});
