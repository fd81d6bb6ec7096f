/** A rule over stages with different numbers of copies, against a scheduler that looks at every operation at every instant. */
import { describe, expect, it } from 'vitest';
import * as fc from '../../support/property.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { letters, kindOf, microbatchOf, type Program, stageNumberOf } from '../../../engine/values/program.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf } from '../sequences/written.ts';

interface Case {
  /** Devices of each stage, in turn. */
  readonly turns: readonly (readonly number[])[];
  readonly devices: number;
  readonly microbatches: number;
  readonly limit: number;
}

const cases: fc.Arbitrary<Case> = fc.integer({ min: 2, max: 4 }).chain((devices) =>
  fc.record({
    devices: fc.constant(devices),
    // Stage 0 is on every device, so that none is without work.
    turns: fc
      .array(
        fc.shuffledSubarray(
          Array.from({ length: devices }, (_, device) => device),
          { minLength: 1, maxLength: devices },
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((others) => [Array.from({ length: devices }, (_, device) => device), ...others]),
    microbatches: fc.integer({ min: devices, max: 9 }),
    limit: fc.integer({ min: 1, max: 4 }),
  }),
);

const onText = ({ turns }: Case): string =>
  turns
    .map((list, stage) => {
      const of = list.reduceRight(
        (rest, device, turn) =>
          turn === list.length - 1 ? `${device}` : `if(mod(j, ${list.length}) == ${turn}, ${device}, ${rest})`,
        '',
      );
      return { stage, of };
    })
    .reduceRight((rest, { stage, of }) => (rest === '' ? of : `if(s == ${stage}, ${of}, ${rest})`), '');

/** Forwards take 1, backwards 2; orders of the devices, as `stage letter microbatch`. */
function expectedOrders({ turns, devices, microbatches, limit }: Case): readonly (readonly string[])[] {
  const stages = turns.length;
  const on = (stage: number, microbatch: number): number => turns[stage][microbatch % turns[stage].length];
  const ended = new Map<string, number>();
  const free = new Array<number>(devices).fill(0);
  const orders = Array.from({ length: devices }, (): string[] => []);
  const begun = new Set<string>();
  const held = new Map<string, number>();
  const is = (name: string, now: number): boolean => (ended.get(name) ?? Infinity) <= now;
  const total = 2 * stages * microbatches;
  /** Every copy runs its microbatches in order. */
  const inTurn = (stage: number, kind: string, microbatch: number): boolean =>
    Array.from({ length: microbatch }, (_, earlier) => earlier).every(
      (earlier) => on(stage, earlier) !== on(stage, microbatch) || begun.has(`${stage}${kind}${earlier}`),
    );
  for (let now = 0; begun.size < total && now < 10 * total; now += 1) {
    const back = [...ended].filter(([name, at]) => at === now && name.includes('B'));
    for (const [name] of back) {
      const [stage, microbatch] = name.split('B').map(Number);
      const copy = `${stage}@${on(stage, microbatch)}`;
      held.set(copy, (held.get(copy) ?? 0) - 1);
    }
    for (let device = 0; device < devices; device += 1) {
      if (free[device] > now) continue;
      const found = [];
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
        for (let stage = stages - 1; stage >= 0; stage -= 1) {
          if (on(stage, microbatch) !== device) continue;
          const [forward, backward] = [`${stage}F${microbatch}`, `${stage}B${microbatch}`];
          const gradient = stage === stages - 1 || is(`${stage + 1}B${microbatch}`, now);
          if (!begun.has(backward) && is(forward, now) && gradient && inTurn(stage, 'B', microbatch))
            found.push(backward);
        }
      }
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
        for (let stage = stages - 1; stage >= 0; stage -= 1) {
          if (on(stage, microbatch) !== device || begun.has(`${stage}F${microbatch}`)) continue;
          if (stage > 0 && !is(`${stage - 1}F${microbatch}`, now)) continue;
          if (!inTurn(stage, 'F', microbatch)) continue;
          if ((held.get(`${stage}@${device}`) ?? 0) < limit) found.push(`${stage}F${microbatch}`);
        }
      }
      const [first] = found;
      if (first === undefined) continue;
      const [stage] = first.split(/[FB]/);
      if (first.includes('F')) held.set(`${stage}@${device}`, (held.get(`${stage}@${device}`) ?? 0) + 1);
      begun.add(first);
      orders[device].push(first);
      free[device] = now + (first.includes('F') ? 1 : 2);
      ended.set(first, free[device]);
    }
  }
  return orders;
}

const ordersOf = (program: Program): readonly (readonly string[])[] =>
  Array.from({ length: program.devices }, (_, device) =>
    Array.from(
      program.order.subarray(program.offsets[device], program.offsets[device + 1]),
      (word) => `${stageNumberOf(program, word)}${letters[kindOf(program, word)]}${microbatchOf(program, word)}`,
    ),
  );

describe('a rule over stages with different numbers of copies', () => {
  it.each(['', 'allow(F, s) = done(F) >= 0'])('runs what a naive scheduler runs (%s)', (condition) => {
    fc.assert(
      fc.property(cases, (shape) => {
        const { devices, microbatches, turns, limit } = shape;
        const body = `on(s, j) = ${onText(shape)}  stages = ${turns.length}  order = greedy(prefer = [B, F])  in_flight(s) = ${limit}  ${condition}`;
        const { plan, findings } = resolveText(
          pipelineOf(`schedule mine { ${body} }`, { devices, microbatches, stages: turns.length }).replace(
            ' + 5us',
            '',
          ),
        );
        const [pipeline] = plan.pipelines;
        expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
        const generated = generate(pipeline);
        if (!('program' in generated)) throw new Error(JSON.stringify(generated));
        expect(validate(generated.program, pipeline)).toEqual([]);
        expect(ordersOf(generated.program)).toEqual(expectedOrders(shape));
      }),
      { numRuns: 50 },
    );
  });
});
