import { describe, expect, test } from 'vitest';
import { validate } from '../../../../engine/schedule/validate.ts';
import { operationName } from '../../../../engine/values/program.ts';
import { stalenessAt, versionsOf } from '../../../../engine/simulate/versions.ts';
import { analyse } from '../../../support/analyse.ts';

interface Case {
  readonly p: number;
  readonly m: number;
  readonly iterations?: number;
  readonly forward?: string;
  readonly backward?: string;
  readonly link?: string;
}

function ranOf({ p, m, iterations = 12, forward = '1ms', backward = '1ms', link = '1000GB/s + 0us' }: Case) {
  const text = `device gpu { memory = 1GiB }
cluster box { gpu[${p}] = gpu  link = ${link} }
model toy { layer block[${p}] { forward = ${forward}  backward = ${backward}  weights = 3MiB  activation = 1MiB } }
pipeline train { model = toy  devices = box  stages = balance(${p})  microbatches = ${m}  iterations = ${iterations}  schedule = amdp }
`;
  const { pipelines, findings } = analyse(text);
  const [one] = pipelines;
  if (one?.run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return { plan: one.plan, run: one.run };
}

const namesOf = ({ run: { program } }: ReturnType<typeof ranOf>, device: number): readonly string[] =>
  [...program.order.subarray(program.offsets[device], program.offsets[device + 1])].map((word) =>
    operationName(program, word),
  );

describe.each([
  [4, 4],
  [4, 8],
  [4, 12],
  [8, 8],
  [8, 24],
])('p = %i, m = %i', (p, m) => {
  const ways = p / 2;
  const ran = ranOf({ p, m });
  const { program } = ran.run;

  test('every operation once, on its device, and no circle, whatever transfers take', () => {
    expect(validate(program, ran.plan)).toEqual([]);
    for (const link of ['1GB/s + 5ms', '1000GB/s + 30us']) {
      const slow = ranOf({ p, m, link, backward: '2.7ms' });
      expect(slow.run.report.iteration).toBeGreaterThan(0);
    }
  });

  test('a gradient is one update late at most', () => {
    const versions = versionsOf(program);
    let late = 0;
    for (let slot = 0; versions !== undefined && slot < versions.read.length; slot += 1)
      late = Math.max(late, stalenessAt(versions, slot));
    expect(late).toBe(1);
    expect(ran.run.report.stages.every(({ versions: held }) => held === 1)).toBe(true);
  });

  // Two at a time, and the next unit's two begin before the last backward of the one before.
  test('at most three microbatches of a direction are in flight at its first stage', () => {
    for (let way = 0; way < ways; way += 1) {
      const device = program.placement[way * p];
      let flying = 0;
      let most = 0;
      for (const name of namesOf(ran, device)) {
        const [, stage, kind, microbatch] = /^(\d+)([A-Z])(\d+)$/.exec(name) ?? [];
        if (stage !== '0' || Number(microbatch) % ways !== way) continue;
        flying += kind === 'F' ? 1 : kind === 'B' ? -1 : 0;
        expect(flying).toBeLessThanOrEqual(3);
        most = Math.max(most, flying);
      }
      expect(most).toBe(3);
    }
  });

  test('each device holds the weights of a stage for each direction', () => {
    for (const device of ran.run.report.devices) {
      expect(device.stages).toHaveLength(ways);
      expect(device.memory.weights).toBe(ways * 3 * 2 ** 20);
    }
  });

  test('the last iteration, too, ends in an update of every copy', () => {
    const updates = Array.from({ length: p }, (_, device) =>
      namesOf(ran, device).filter((name) => name.includes('U')),
    ).flat();
    expect(updates).toHaveLength(ways * p * 12);
  });
});

test('the first device of four begins and goes on as in the published order', () => {
  const names = namesOf(ranOf({ p: 4, m: 4, iterations: 3 }), 0);
  // Forwards 0, 2, 1, 3 and backwards 1, 3, 0, 2 of every unit; 3U2 and 0U3 apply the gradients of the unit before.
  const unit = ['0F4', '0F6', '0B2', '3F5', '3B5', '0U2', '3U3', '3F7', '3B7', '0B4'];
  expect(names.slice(0, 17)).toEqual(['0F0', '0F2', '3F1', '3B1', '3F3', '3B3', '0B0', ...unit]);
  expect(names.slice(-3)).toEqual(['0B10', '0U10', '3U11']);
});

test.each([
  [2, 4],
  [4, 6],
  [6, 6],
  [8, 4],
])('%i stages and %i microbatches cannot be', (p, m) => {
  expect(() => ranOf({ p, m })).toThrow();
});

test('a device exchanges the gradients of its two stages once in an iteration, however many microbatches that has', () => {
  const MiB = 2 ** 20;
  for (const m of [4, 12])
    // Each stage has a copy in each of two directions: a ring of two sends 2 · 1/2 · 3 MiB for each of the two stages.
    for (const { sync } of ranOf({ p: 4, m }).run.report.devices) {
      expect(sync.bytes).toBeCloseTo(6 * MiB, 0);
      expect(sync.exposed).toBeCloseTo((6 * MiB) / 1e12, 12);
    }
});
