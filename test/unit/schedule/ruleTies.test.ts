/** `ties` among copies of stages, against a scheduler that goes tick by tick and knows stages of the cut only. */
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { planOf } from '../../support/resolve.ts';
import { namesOf, programFor } from './bruteForce.ts';

type On = (stage: number, microbatch: number, devices: number) => number;

interface Placed {
  readonly text: string;
  readonly chunks: number;
  readonly on: On;
}

const folded: On = (stage, _, devices) => (stage < devices ? stage : 2 * devices - 1 - stage);

/** Where stages are, as a text and as a function. */
const placements: Readonly<Record<string, Placed>> = {
  'two directions': {
    text: 'on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)',
    chunks: 1,
    on: (stage, microbatch, devices) => (microbatch % 2 === 0 ? stage : devices - 1 - stage),
  },
  'a V in two directions': {
    text: `let v(s) = if(s < devices, s, stages - 1 - s)  stages = 2 * devices
      on(s, j) = if(mod(j, 2) == 0, v(s), devices - 1 - v(s))`,
    chunks: 2,
    on: (stage, microbatch, devices) => {
      const device = folded(stage, microbatch, devices);
      return microbatch % 2 === 0 ? device : devices - 1 - device;
    },
  },
  'all stages of a microbatch on one device': {
    text: 'on(s, j) = mod(j, devices)',
    chunks: 1,
    on: (_, microbatch, devices) => microbatch % devices,
  },
  // One stage has one copy, the others two: the order of copies is not that of stages, in one microbatch either.
  'copies of every stage but one': {
    text: 'stages = 2 * devices  on(s, j) = if(s == stages - 2, 0, mod(s + mod(j, 2), devices))',
    chunks: 2,
    on: (stage, microbatch, devices) => (stage === 2 * devices - 2 ? 0 : (stage + (microbatch % 2)) % devices),
  },
};

interface Ready {
  readonly kind: string;
  readonly stage: number;
  readonly microbatch: number;
}

/** The order of each device, where F, I and W take one tick and B two. */
function ticked(
  on: On,
  [devices, stages, microbatches]: readonly [number, number, number],
  prefer: readonly string[],
  before: (one: Ready, other: Ready) => number,
): readonly (readonly string[])[] {
  const ends = new Map<string, number>();
  const rows: string[][] = Array.from({ length: devices }, () => []);
  const free = rows.map(() => 0);
  const name = (kind: string, stage: number, microbatch: number): string => `${stage}${kind}${microbatch}`;
  for (let now = 0; ends.size < prefer.length * stages * microbatches; now += 1) {
    const has = (kind: string, stage: number, microbatch: number): boolean =>
      (ends.get(name(kind, stage, microbatch)) ?? Infinity) <= now;
    for (let device = 0; device < devices; device += 1) {
      if (free[device] > now) continue;
      const ready: Ready[] = [];
      for (const kind of prefer)
        for (let stage = 0; stage < stages; stage += 1) {
          const microbatch = Array.from({ length: microbatches }, (_, each) => each).find(
            (each) => on(stage, each, devices) === device && !ends.has(name(kind, stage, each)),
          );
          if (microbatch === undefined) continue;
          const isReady =
            kind === 'F'
              ? stage === 0 || has('F', stage - 1, microbatch)
              : kind === 'W'
                ? has('I', stage, microbatch)
                : has('F', stage, microbatch) && (stage === stages - 1 || has(kind, stage + 1, microbatch));
          if (isReady) ready.push({ kind, stage, microbatch });
        }
      const [first] = ready.toSorted(
        (one, other) => prefer.indexOf(one.kind) - prefer.indexOf(other.kind) || before(one, other),
      );
      if (first === undefined) continue;
      free[device] = now + (first.kind === 'B' ? 2 : 1);
      ends.set(name(first.kind, first.stage, first.microbatch), free[device]);
      rows[device].push(name(first.kind, first.stage, first.microbatch));
    }
  }
  return rows;
}

const ties: Readonly<Record<string, (one: Ready, other: Ready) => number>> = {
  oldest: (one, other) => one.microbatch - other.microbatch || other.stage - one.stage,
  deepest: (one, other) => other.stage - one.stage || one.microbatch - other.microbatch,
  shallowest: (one, other) => one.stage - other.stage || one.microbatch - other.microbatch,
};

const textOf = (body: string, devices: number, stages: number, microbatches: number): string => `
device d { memory = 16GiB }
cluster box { gpu[${devices}] = d  link = 25GB/s }
model toy { layer block[${stages}] { forward = 1ms  backward = 2ms } }
schedule mine { ${body} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = mine }
`;

describe('ties among copies', () => {
  for (const [where, { text, chunks, on }] of Object.entries(placements))
    for (const [rule, before] of Object.entries(ties))
      it(`${rule}, ${where}`, () => {
        for (const prefer of [
          ['B', 'F'],
          ['F', 'B'],
          ['I', 'F', 'W'],
        ])
          for (let devices = 2; devices <= 4; devices += 1)
            for (const microbatches of [1, 2, 3, 5, 6]) {
              // Fewer microbatches give no stage to some devices.
              if (where.startsWith('all') && microbatches < devices) continue;
              const stages = chunks * devices;
              const backward = prefer.length === 3 ? 'split' : 'whole';
              const body = `${text}  backward = ${backward}  order = greedy(prefer = [${prefer.join(', ')}])  ties = ${rule}`;
              const program = programFor(planOf(textOf(body, devices, stages, microbatches)));
              const expected = ticked(on, [devices, stages, microbatches], prefer, before);
              expect(namesOf(program), `p = ${devices}, m = ${microbatches}, ${prefer[0]} first`).toEqual(expected);
            }
      });
  it('decide how long three microbatches on two devices take', () => {
    const body = `${placements['two directions'].text}  order = greedy(prefer = [B, F])  ties = `;
    const length = (rule: string): number | undefined =>
      evaluate(planOf(textOf(body + rule, 2, 2, 3)), defaultOptions).run?.report.iteration;
    expect(length('shallowest')).toBeCloseTo(0.011, 12);
    expect(length('deepest')).toBeCloseTo(0.012, 12);
  });
});
