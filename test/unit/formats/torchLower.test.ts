import { describe, expect, test } from 'vitest';
import { layoutOf, tableOfProgram } from '../../../engine/formats/torchCsv/fromProgram.ts';
import { lower } from '../../../engine/formats/torchCsv/lower.ts';
import { withReduceGrad } from '../../../engine/formats/torchCsv/sharding.ts';
import { writeTorchCsv } from '../../support/torchCsv.ts';
import { programFor } from '../schedule/bruteForce.ts';
import { policyPlan } from '../schedule/plans.ts';
import { policy } from '../support/plans.ts';
import { golden, scheduleFrom, tableFrom } from './torch.ts';

const textOf = (lowered: ReturnType<typeof lower>): string =>
  'table' in lowered ? writeTorchCsv(lowered.table) : 'stuck';

describe('lowering', () => {
  test.each(['Interleaved1F1B_p4_m8_v2', 'ZBVZeroBubble_p4_m8_v2', 'DualPipeV_p2_m4_v2'])(
    '%s gets PyTorch’s transfers and sharding',
    (name) => {
      const { table, shape } = scheduleFrom(golden(`${name}_compute`));
      expect(textOf(lower(table, shape))).toBe(golden(`${name}_comms`));
    },
  );

  test('rows that wait for each other are named', () => {
    const { table } = tableFrom('0F0,0F1,0B1,0B0\n1F0,1B0,1F1,1B1\n');
    const shape = { stages: 2, microbatches: 2, placement: Int32Array.of(0, 1) };
    expect(lower(table, shape)).toHaveProperty('table');
    const crossed = tableFrom('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n').table;
    expect(lower(crossed, shape)).toEqual({
      stuck: [
        { row: 0, column: 1 },
        { row: 1, column: 0 },
      ],
    });
  });
});

describe('idle steps', () => {
  test('Interleaved1F1B: our policy makes PyTorch’s very file', () => {
    const plan = policyPlan('interleaved_1f1b', 4, 8, { v: 2 });
    const program = programFor(plan);
    const { table } = tableOfProgram(program, layoutOf(plan.schedule, program));
    expect(writeTorchCsv(table)).toBe(golden('Interleaved1F1B_p4_m8_v2_compute'));
  });

  test('GPipe: without blanks, and gradients reduced, it is PyTorch’s file', () => {
    const { table } = tableOfProgram(programFor(policyPlan('gpipe', 4, 8)), { kind: 'none' });
    const rows = table.rows.map((row, rank) =>
      withReduceGrad(
        row.map((cell, column) => ({ cell, column, rank })),
        8,
      ).map(({ cell }) => cell),
    );
    expect(writeTorchCsv({ ...table, rows })).toBe(golden('GPipe_p4_m8_v1_compute'));
  });

  test('ZB-V: our policy makes PyTorch’s very file, whose blanks are those of unit steps', () => {
    const text = golden('ZBVZeroBubble_p4_m8_v2_compute');
    const equal = policyPlan('zb_v', 4, 8, { v: 2 });
    const plan = { ...equal, schedule: policy('zb_v'), placement: [0, 1, 2, 3, 3, 2, 1, 0] };
    const program = programFor(plan);
    expect(writeTorchCsv(tableOfProgram(program, layoutOf(plan.schedule, program)).table)).toBe(text);
    expect(writeTorchCsv(tableOfProgram(program, { kind: 'steps' }).table)).toBe(text);
  });

  test('1F1B: a device’s blanks are its idle steps', () => {
    // p = 2, m = 2, each cell a step: F0 F1 and a wait for the second device's B0, which ends with step 2.
    const plan = policyPlan('1f1b', 2, 2);
    const program = programFor(plan);
    expect(writeTorchCsv(tableOfProgram(program, layoutOf(plan.schedule, program)).table)).toBe(
      '0F0,0F1,,0B0,,0B1\r\n,1F0,1B0,1F1,1B1\r\n',
    );
  });
});
