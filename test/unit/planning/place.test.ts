/** `place = best`, from text to plan. */
import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { parse } from '../../../grammar/index.ts';
import { resolve } from '../../../engine/flow/resolve.ts';
import { directSearches, type Searches } from '../../../engine/basics/searches.ts';
import { analyse, codesOf, runOf } from '../../support/analyse.ts';
import { hostOf, uri } from '../../support/host.ts';

interface Parts {
  readonly stages?: string;
  readonly schedule?: string;
  readonly more?: string;
  readonly cluster?: string;
}

/** The fast links are a row of six: 0, 3, 1, 4, 2, 5. All others have a tenth of their speed. */
const row = `gpu[6] = gpu  link = 1GB/s
  link gpu[0] -- gpu[3] = 10GB/s + 5us
  link gpu[3] -- gpu[1] = 10GB/s + 5us
  link gpu[1] -- gpu[4] = 10GB/s + 5us
  link gpu[4] -- gpu[2] = 10GB/s + 5us
  link gpu[2] -- gpu[5] = 10GB/s + 5us`;

const file = ({
  stages = 'stages = balance(6)',
  schedule = '1f1b',
  more = 'place = best',
  cluster = row,
}: Parts = {}) => `
model toy { layer block[12] { forward = 1ms  backward = 2ms  weights = 1MB  output = 10MB } }
device gpu { memory = 16GiB }
${cluster.includes('old') ? 'device old { memory = 16GiB  speed = 0.5 }' : ''}
cluster box { ${cluster} }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  ${stages}
  schedule = ${schedule}
  ${more}
}
`;

const devicesOf = (parts: Parts) => runOf(file(parts)).plan.devices.map(({ name }) => name);
const gpus = (...numbers: readonly number[]) => numbers.map((number) => `gpu[${number}]`);

describe('place = best', () => {
  test('puts stages on the row of fast links, and reports its hops and those by number', () => {
    const { run } = runOf(file());
    expect(run.report.devices.map(({ name }) => name)).toEqual(gpus(0, 3, 1, 4, 2, 5));
    expect(run.report.place).toMatchObject({
      devices: gpus(0, 3, 1, 4, 2, 5),
      on: gpus(0, 3, 1, 4, 2, 5),
      iteration: run.report.iteration,
      exact: true,
    });
    expect(run.report.place?.worst).toBeCloseTo(1.005e-3, 12);
    expect(run.report.place?.sum).toBeCloseTo(5.025e-3, 12);
    // By number: 0 to 1 over 3, 1 to 2 over 4, 2 to 3 over 4 and 1, 3 to 4 over 1, 4 to 5 over 2.
    expect(run.report.place?.by_number?.worst).toBeCloseTo(1.015e-3, 12);
    expect(run.report.place?.by_number?.sum).toBeCloseTo(5e-3 + 11 * 5e-6, 12);
  });

  test('is as good by number as without the key', () => {
    const without = runOf(file({ more: '' })).run.report;
    const chosen = runOf(file()).run.report;
    expect(without.place).toBeUndefined();
    expect(chosen.place?.by_number?.iteration).toBe(without.iteration);
    expect(chosen.iteration).toBeLessThanOrEqual(without.iteration);
    expect(runOf(file({ more: 'place = by_number' })).run.report).toEqual(without);
  });

  test('keeps devices by number where all links are alike', () => {
    const cluster = 'gpu[6] = gpu  link = 1GB/s';
    const { run } = runOf(file({ cluster }));
    expect(run.report.place?.devices).toEqual(gpus(0, 1, 2, 3, 4, 5));
    expect(run.report.iteration).toBe(runOf(file({ cluster, more: '' })).run.report.iteration);
  });

  test('finds a placement where some stages cannot reach each other by number', () => {
    const cluster = `gpu[3] = gpu  link gpu[0] -- gpu[2] = 1GB/s  link gpu[2] -- gpu[1] = half(1GB/s)`;
    const stages = 'stages = balance(2)';
    expect(devicesOf({ cluster: `gpu[3] = gpu  link gpu[1] -- gpu[2] = 1GB/s`, stages })).toEqual(gpus(1, 2));
    expect(devicesOf({ cluster, stages: 'stages = balance(3)' })).toEqual(gpus(0, 2, 1));
    const lone = analyse(file({ cluster: 'gpu[3] = gpu', stages }));
    expect(codesOf(lone)).toContain('device/unknown-route');
  });

  test('moves to devices that no stage has', () => {
    expect(devicesOf({ stages: 'stages = balance(2)' })).toEqual(gpus(0, 3));
    expect(devicesOf({ stages: 'stages = balance(3)' })).toEqual(gpus(0, 3, 1));
  });

  test('leaves stages with `on` where they are', () => {
    const stages = `stage a { layers = block[0..3]  on = gpu[4] }
      stage b { layers = block[4..7] }
      stage c { layers = block[8..11] }`;
    expect(devicesOf({ stages })).toEqual(gpus(4, 1, 3));
    expect(devicesOf({ stages: stages.replace('[8..11] }', '[8..11]  on = gpu[5] }') })).toEqual(gpus(4, 2, 5));
  });

  test('keeps every stage on its kind of device', () => {
    // The row of fast links is 0, 2, 1, 3, and the last two devices are old.
    const cluster = `gpu[2] = gpu  gpu[2] = old  link = 1GB/s
      link gpu[0] -- gpu[1] = 1GB/s
      link gpu[0] -- gpu[2] = 50GB/s + 1us  link gpu[2] -- gpu[1] = 50GB/s + 1us  link gpu[1] -- gpu[3] = 50GB/s + 1us`;
    const stages = 'stages = balance(4)';
    const { plan } = runOf(file({ cluster, stages }));
    expect(plan.devices.map(({ kind }) => kind)).toEqual(['gpu', 'gpu', 'old', 'old']);
    for (const { name, kind } of plan.devices) expect(name < 'gpu[2]' ? 'gpu' : 'old').toBe(kind);
    expect(plan.stages).toEqual(runOf(file({ cluster, stages, more: '' })).plan.stages);
  });

  test('moves ranks of several devices as a whole', () => {
    const cluster = `gpu[6] = gpu  link = 1GB/s
      link gpu[0..1] -- gpu[4..5] = 20GB/s
      link gpu[4..5] -- gpu[2..3] = 20GB/s
      link gpu[0] -- gpu[1] = 50GB/s  link gpu[2] -- gpu[3] = 50GB/s  link gpu[4] -- gpu[5] = 50GB/s
      link gpu[0..1] -- gpu[2..3] = 1GB/s`;
    const { run } = runOf(file({ cluster, stages: 'stages = balance(3)', more: 'data = 2  place = best' }));
    expect(run.report.place?.on).toEqual(['gpu[0..1]', 'gpu[4..5]', 'gpu[2..3]']);
    // Two transfers of 10 MB at the same time, each over a link of its own.
    expect(run.report.place?.worst).toBeCloseTo(0.5e-3, 12);
  });

  test('keeps the devices of each rank where ranks differ in size', () => {
    const stages = `stage a { layers = block[0..3]  data = 2 }
      stage b { layers = block[4..7] }
      stage c { layers = block[8..11] }`;
    const cluster = `gpu[8] = gpu  link = 1GB/s
      link gpu[0..1] -- gpu[7] = 20GB/s  link gpu[7] -- gpu[4] = 20GB/s`;
    const { plan, run } = runOf(file({ cluster, stages }));
    expect(run.report.place?.on).toEqual(['gpu[0..1]', 'gpu[7]', 'gpu[4]']);
    expect(plan.devices.map(({ members = 1 }) => members)).toEqual([2, 1, 1]);
    // The row needs a rank of two at gpu[4], and there is only one device.
    const turned = runOf(file({ cluster: cluster.replaceAll('gpu[0..1]', 'gpu[3]'), stages }));
    expect(turned.run.report.place?.on[0]).toBe('gpu[0..1]');
  });

  test('sends nothing between chunks of one device that follow each other', () => {
    const { run } = runOf(file({ stages: 'stages = balance(4)', schedule: 'zb_v' }));
    // Two devices, and one message each up and down the V.
    expect(run.report.place?.worst).toBeCloseTo(1.005e-3, 12);
    expect(run.report.place?.sum).toBeCloseTo(2.01e-3, 12);
  });

  test('puts a stage on the device of the stage with `on` that the schedule joins it with', () => {
    const stages = [0, 1, 2, 3]
      .map(
        (stage) =>
          `stage s${stage} { layers = block[${3 * stage}..${3 * stage + 2}] ${stage === 0 ? ' on = gpu[4]' : ''} }`,
      )
      .join('\n');
    const { plan } = runOf(file({ stages, schedule: 'interleaved_1f1b(chunks = 2)', more: 'place = best  ' }));
    expect(plan.placement).toEqual([0, 1, 0, 1]);
    expect(plan.devices[0].name).toBe('gpu[4]');
    expect(['gpu[1]', 'gpu[2]']).toContain(plan.devices[1].name);
  });

  test('minimises over the messages between chunks and between copies', () => {
    // A ring of four: 0, 2, 1, 3; the last chunk of a device sends to the first device.
    const ring = `gpu[4] = gpu  link = 1GB/s
      link gpu[0] -- gpu[2] = 10GB/s  link gpu[2] -- gpu[1] = 10GB/s
      link gpu[1] -- gpu[3] = 10GB/s  link gpu[3] -- gpu[0] = 10GB/s
      link gpu[0] -- gpu[1] = 1GB/s  link gpu[2] -- gpu[3] = 1GB/s`;
    const chunks = runOf(
      file({ cluster: ring, stages: 'stages = balance(8)', schedule: 'interleaved_1f1b(chunks = 2)' }),
    );
    expect(chunks.run.report.place).toMatchObject({ devices: gpus(0, 2, 1, 3), worst: 1e-3 });
    expect(chunks.run.report.place?.sum).toBeCloseTo(7e-3, 12);
    const copies = runOf(file({ cluster: ring, stages: 'stages = balance(4)', schedule: 'chimera' }));
    expect(copies.run.report.place).toMatchObject({ devices: gpus(0, 2, 1, 3), worst: 1e-3 });
    expect(copies.run.report.place?.sum).toBeCloseTo(6e-3, 12);
  });

  test('takes whole nodes first on large clusters', () => {
    const cluster = `node[4] { gpu[6] = gpu  link = 10GB/s }
      link = 1GB/s
      link node[0] -- node[2] = 5GB/s + 5us
      link node[2] -- node[1] = 5GB/s + 5us
      link node[1] -- node[3] = 5GB/s + 5us`;
    const { run } = runOf(file({ cluster, stages: 'stages = balance(12)', more: 'data = 2  place = best' }));
    const { place } = run.report;
    expect(place?.exact).toBe(true);
    expect(place?.on.map((text) => Math.trunc(Number(/\d+/.exec(text)?.[0]) / 6))).toEqual([
      0, 0, 0, 2, 2, 2, 1, 1, 1, 3, 3, 3,
    ]);
  });
});

describe('place = best is checked', () => {
  const reasonOf = (parts: Parts) =>
    analyse(file(parts)).findings.flatMap(({ code, message }) => (code === 'key/not-applicable' ? [message] : []));

  test('has no effect where there is nothing to choose', () => {
    const stages = `stage a { layers = block[0..5]  on = gpu[4] }  stage b { layers = block[6..11]  on = gpu[2] }`;
    expect(reasonOf({ stages })).toEqual([expect.stringContaining('every stage names its devices with `on`')]);
    expect(reasonOf({ stages: 'stages = balance(1)' })).toEqual([
      expect.stringContaining('nothing is sent between them'),
    ]);
    expect(reasonOf({ schedule: 'pipeswitch' })).not.toEqual([]);
  });

  test('needs devices for the stages without `on`', () => {
    const analysis = analyse(
      file({
        cluster: 'gpu[2] = gpu  link = 1GB/s',
        stages: `stage a { layers = block[0..3]  on = gpu[0..1]  data = 2 }  stage b { layers = block[4..11] }`,
      }),
    );
    expect(analysis.findings.map(({ code, message }) => `${code}: ${message}`)).toContainEqual(
      expect.stringMatching(/^stage\/device-count: Stage "b" needs 1 device, but "box" has 0/),
    );
  });

  test('is one of two words', () => {
    expect(codesOf(analyse(file({ more: 'place = worst' })))).toContain('name/unknown');
  });
});

test('a placement that is being searched leaves its pipeline for later', () => {
  const asked: string[] = [];
  const direct = directSearches();
  const without = (missing: string): Searches => ({
    answer(search, problem) {
      asked.push(search.name);
      return search.name === missing ? undefined : direct.answer(search, problem);
    },
  });
  const request = (searches: Searches) => {
    const text = file();
    return resolve({ uri, syntax: parse(text), host: hostOf(), options: defaultOptions, searches });
  };
  for (const missing of ['placement', 'iteration']) {
    const { plan, pending, findings } = request(without(missing));
    expect([plan.pipelines, pending, findings]).toEqual([[], ['train'], []]);
  }
  // All placements are asked for at once, so that threads can share them.
  expect(asked.filter((name) => name === 'iteration').length).toBe(9);
});
