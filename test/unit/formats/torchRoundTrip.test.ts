import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { importTorch } from '../../../engine/formats/torchCsv/import.ts';
import { writeTorchCsv } from '../../support/torchCsv.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate, programOf as programOfPolicy } from '../../../engine/schedule/generate.ts';
import { type Program } from '../../../engine/values/program.ts';
import { bareShape } from '../../../engine/policies/shape.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { findDeadlock } from '../../../engine/schedule/deadlock.ts';
import { analyse } from '../../support/analyse.ts';
import { recipePlan } from '../support/plans.ts';
import { runnable } from '../support/cases.ts';
import { programOf } from '../support/programs.ts';
import { golden, ordersOf, ordersOfProgram, sound } from './torch.ts';

/** Out as a table, in as a `.pipe` file, run: the orders and the placement. */
function throughFile(plan: PipelinePlan, program: Program, comms: boolean) {
  const result = exportTorch(plan, program, comms);
  if ('problem' in result) throw new Error(result.problem);
  return runText(writeTorchCsv(result.table));
}

function runText(text: string) {
  const imported = importTorch(text);
  if ('faults' in imported) throw new Error(JSON.stringify(imported.faults[0]));
  const { pipelines, findings } = analyse(imported.pipe);
  expect(findings.filter((found) => found.severity === 'error')).toEqual([]);
  const run = pipelines[0]?.run;
  if (run === undefined) throw new Error('it does not run');
  return { table: imported.table, orders: ordersOfProgram(run.program), placement: [...run.program.placement] };
}

/** The orders without the operations that PyTorch has no action for. */
const carried = (program: Program): string[][] =>
  ordersOfProgram(program).map((row) => row.filter((name) => !/[RUEL]/.test(name)));

describe('export, then import', () => {
  test('gives random runnable programs back', () => {
    fc.assert(
      fc.property(runnable, fc.boolean(), ({ plan, program }, comms) => {
        const chain = { ...plan, edges: plan.edges.filter(({ from, to }) => to === from + 1) };
        const back = throughFile(chain, program, comms);
        expect(back.orders).toEqual(ordersOfProgram(program));
        expect(back.placement).toEqual([...program.placement]);
      }),
      { numRuns: 30 },
    );
  });

  test('keeps two fused operations in one slot, and names a slot of three', () => {
    const rows = [
      ['0F0', ['0F1', '0B0'], '0B1'],
      ['1F0', '1B0', '1F1', '1B1'],
    ] as const;
    const plan = recipePlan({ devices: 2, microbatches: 2, schedule: { kind: 'rows', name: 'r', rows: [] } });
    const program = programOf(rows, 2, 2, [0, 1]);
    expect(findDeadlock(program, plan)).toBeUndefined();
    expect(throughFile(plan, program, false).orders).toEqual([
      ['0F0', '0F1+0B0', '0B1'],
      ['1F0', '1B0', '1F1', '1B1'],
    ]);
    const wide = { ...program, fused: Uint8Array.of(1, 1, 0, 0, 0, 0, 0, 0) };
    expect(exportTorch(plan, wide, false)).toMatchObject({ problem: expect.stringContaining('0F0') });
  });

  test.each(policies.filter((policy) => policy.forwardOnly !== true).map((policy) => [policy.name, policy] as const))(
    '%s keeps its order over a grid',
    (name, policy) => {
      let tried = 0;
      let refused = 0;
      for (const [devices, sizes] of [
        [1, [4]],
        [2, [1, 7, 8]],
        [4, [4, 8]],
      ] as const) {
        for (const microbatches of sizes) {
          const chunks = policy.chunks({});
          const stages = devices * chunks;
          const recipe = { devices, stages, microbatches, schedule: { kind: 'policy', name, args: {} } as const };
          const replicas = new Int32Array(stages).fill(1);
          const shape = bareShape({ devices, stages, chunks, microbatches, iterations: 1, args: {}, replicas });
          if (policy.check(shape).length > 0) continue;
          if (policy.copies?.(shape) !== undefined || policy.forwardOnly === true) {
            // Copies and segments of stages, and orders without backwards: refused, not bent.
            const result = exportTorch(recipePlan(recipe), programOfPolicy(policy, shape), false);
            expect(result).toMatchObject({ problem: expect.stringMatching(/copies|segments|backwards/) });
            refused += 1;
            continue;
          }
          const placement = [...policy.placement(shape)];
          const plan = recipePlan({ ...recipe, placement });
          const generated = generate(plan);
          if ('faults' in generated) continue;
          const result = exportTorch(plan, generated.program, false);
          if (policy.weights !== undefined) {
            expect(result).toMatchObject({ problem: expect.stringContaining('updates weights without a flush') });
            refused += 1;
            continue;
          }
          // Policies with slots that a table cannot hold are refused, too.
          if ('problem' in result) continue;
          tried += 1;
          for (const comms of [false, true])
            expect(throughFile(plan, generated.program, comms).orders).toEqual(carried(generated.program));
        }
      }
      expect(tried + refused).toBeGreaterThan(0);
    },
  );

  test.each(sound)('%s of PyTorch runs in its own order', (name) => {
    const { table, orders } = runText(golden(name));
    expect(orders).toEqual(ordersOf(table));
  });
});

test('an order that needs stages beside one another is refused with the operation that would wait', () => {
  // Stages 0 and 1 both feed stage 2 and do not need each other; the device of stage 1 starts with microbatch 1.
  const rows = [
    ['0F0', '0F1', '0B0', '0B1'],
    ['1F0', '1F1', '1B1', '1B0'],
    ['2F0', '2B0', '2F1', '2B1'],
  ];
  const edges = [
    { from: 0, to: 2, bytes: 0 },
    { from: 1, to: 2, bytes: 0 },
  ];
  const plan = recipePlan({ devices: 3, microbatches: 2, edges, schedule: { kind: 'rows', name: 'r', rows: [] } });
  const program = programOf(rows, 3, 2, [0, 1, 2]);
  expect(exportTorch(plan, program, false)).toHaveProperty('table');
  const crossed = programOf([['0F0', '0B0', '0F1', '0B1'], ['1F1', '1F0', '1B1', '1B0'], rows[2]], 3, 2, [0, 1, 2]);
  expect(exportTorch(plan, crossed, false)).toMatchObject({ problem: expect.stringContaining('waits forever') });
});
