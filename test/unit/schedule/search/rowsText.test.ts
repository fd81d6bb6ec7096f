import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { I, kindOf, microbatchOf, type Program, W } from '../../../../engine/values/program.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { scheduleText } from '../../../../engine/schedule/rowsText.ts';
import { joinable } from '../../../support/joinable.ts';
import * as fc from '../../../support/property.ts';
import { resolveText } from '../../../support/resolve.ts';
import { namesOf, programFor } from '../bruteForce.ts';
import { policyPlan } from '../plans.ts';

/** A pipeline that runs a schedule's text. */
const fileOf = (schedule: string, p: number, m: number, chunks: number) => `${schedule}
device gpu { memory = 64GiB }
cluster box { gpu[${p}] = gpu  link = 25GB/s }
model net { layer block[${p * chunks}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
pipeline train { model = net  devices = box  microbatches = ${m}  stages = balance(${p * chunks})  schedule = kept }
`;

function planned(text: string): PipelinePlan {
  const { plan, findings } = resolveText(text);
  expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  return plan.pipelines[0];
}

/** Whether the text of an order runs this order again. */
function expectSame(program: Program, m: number): string {
  const text = scheduleText(program, 'kept', ['Ends at 1 s.']);
  if (text === undefined) throw new Error('no text');
  expect(joinable(text)).toEqual([]);
  const again = generate(planned(fileOf(text, program.devices, m, program.stages / program.devices)));
  if ('faults' in again) throw new Error(again.faults.map(({ message }) => message).join('\n'));
  expect(namesOf(again.program)).toEqual(namesOf(program));
  return text;
}

describe('an order as text', () => {
  it.each(['gpipe', '1f1b', 'zb_h1', 'zb_h2', 'zb_auto', 'zb_v', 'v_half', 'interleaved_zb', 'interleaved_1f1b'])(
    'runs the order of %s again, on all shapes',
    (name) => {
      for (const [p, m] of [
        [1, 1],
        [2, 4],
        [3, 6],
        [4, 16],
      ]) {
        const v = ['zb_v', 'v_half', 'interleaved_zb', 'interleaved_1f1b'].includes(name) ? 2 : 1;
        const plan = v === 1 ? policyPlan(name, p, m) : planned(fileOf('', p, m, 2).replace('kept', name));
        expectSame(programFor(plan), m);
      }
    },
  );

  it('runs random orders of a device again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.infiniteStream(fc.nat(2)), (m, choices) => {
        // One device: any word in which I follows F and W follows I.
        const plan = policyPlan('zb_h1', 1, m);
        const program = programFor(plan);
        const left = { F: m, I: m, W: m };
        const order: number[] = [];
        const word = { F: program.order[0], I: 0, W: 0 };
        for (const operation of program.order) {
          if (microbatchOf(program, operation) !== 0) continue;
          if (kindOf(program, operation) === I) word.I = operation;
          if (kindOf(program, operation) === W) word.W = operation;
        }
        for (const choice of choices) {
          const kind = (['F', 'I', 'W'] as const)[choice];
          const ready = kind === 'F' ? left.F > 0 : kind === 'I' ? left.I > left.F : left.W > left.I;
          if (ready) {
            order.push(word[kind] + (m - left[kind]));
            left[kind] -= 1;
          }
          if (order.length === 3 * m) break;
        }
        expectSame({ ...program, order: Int32Array.from(order) }, m);
      }),
      { numRuns: 100 },
    );
  });

  it('finds what is repeated, so that more microbatches take no more text', () => {
    const lines = (m: number) => expectSame(programFor(policyPlan('zb_h1', 4, m)), m).split('\n');
    expect(lines(16)).toEqual([
      '/// Ends at 1 s.',
      'schedule kept {',
      '  placement = linear',
      '  row(0) = F[0..2], zip(F[3..15], I[0..12], W[0..12]), zip(I[13..15], W[13..15])',
      '  row(1) = F[0..2], I[0], zip(F[3..15], I[1..13], W[0..12]), zip(I[14..15], W[13..14]), W[15]',
      '  row(2) = F[0], zip(F[1..2], I[0..1]), zip(F[3..15], I[2..14], W[0..12]), I[15], W[13..15]',
      '  row(3) = zip(F[0..2], I[0..2]), zip(F[3..15], I[3..15], W[0..12]), W[13..15]',
      '}',
      '',
    ]);
    expect(lines(256).join('').length).toBeLessThan(1.3 * lines(16).join('').length);
  });

  it('writes a pattern that has a kind twice as a loop', () => {
    const program = programFor(policyPlan('gpipe', 1, 8));
    const [f, b] = [program.order[0], program.order[8]];
    const pairs = [0, 2, 4, 6].flatMap((j) => [f + j, f + j + 1, b + j, b + j + 1]);
    expect(expectSame({ ...program, order: Int32Array.from(pairs) }, 8)).toContain(
      'row(0) = each(k in 0..<4, F[2*k..2*k + 1], B[2*k..2*k + 1])',
    );
  });

  it('has no text for copies of stages, and for microbatches in another order', () => {
    const program = programFor(policyPlan('gpipe', 1, 4));
    expect(scheduleText({ ...program, order: program.order.toReversed() }, 'kept', [])).toBeUndefined();
  });
});
