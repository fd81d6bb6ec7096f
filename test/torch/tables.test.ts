/** Every policy that a table can hold is a table that PyTorch loads, and it computes what the table says. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { exportTorch } from '../../engine/formats/torchCsv/export.ts';
import { cellText, computing } from '../../engine/formats/torchCsv/table.ts';
import { torchCsvParts } from '../../engine/formats/torchCsv/write.ts';
import { policies } from '../../engine/policies/registry.ts';
import { test } from '../support/plainTests.ts';
import { placed } from '../unit/schedule/chunked.ts';
import { python } from './python.ts';

interface Case {
  readonly policy: string;
  readonly ranks: number;
  readonly stages: number;
  readonly microbatches: number;
  readonly table: string;
  readonly format: 'compute_only' | 'compute_comms';
  readonly rows: readonly (readonly string[])[];
}

const shapes = [2, 4].flatMap((ranks) => [4, 8, 9].map((microbatches) => ({ ranks, microbatches })));

/** Tables of a policy, in both formats; none of a shape that it does not take or that no table can hold. */
function casesOf(policy: string, ranks: number, microbatches: number): readonly Case[] {
  let made: ReturnType<typeof placed>;
  try {
    made = placed(policy, ranks, microbatches);
  } catch {
    return [];
  }
  return ([false, true] as const).flatMap((comms) => {
    const exported = exportTorch(made.plan, made.program, comms);
    if ('problem' in exported) return [];
    const rows = exported.table.rows.map((row) => row.filter((cell) => computing(cell).length > 0).map(cellText));
    const table = [...torchCsvParts(exported.table)].join('');
    const format = comms ? 'compute_comms' : 'compute_only';
    return [{ policy, ranks, stages: made.program.stages, microbatches, table, format, rows }];
  });
}

test('PyTorch loads the table of every policy, with transfers and without', async () => {
  const cases = policies.flatMap(({ name }) =>
    shapes.flatMap(({ ranks, microbatches }) => casesOf(name, ranks, microbatches)),
  );
  const { status, out, err } = await python([path.join(import.meta.dirname, 'tables.py')], JSON.stringify(cases));
  assert.equal(status, 0, err);
  const answers = JSON.parse(out) as readonly (string | string[][])[];
  assert.equal(answers.length, cases.length);
  for (const [at, { policy, ranks, microbatches, format, rows }] of cases.entries())
    assert.deepEqual(answers[at], rows, `${policy}, p = ${ranks}, m = ${microbatches}, ${format}`);
  const found = new Set(cases.map(({ policy }) => policy));
  console.log(`       ${cases.length} tables of ${found.size} policies`);
  // Policies that PyTorch has too, and at least as many that it does not have.
  assert.ok(found.size >= 14, [...found].join(', '));
});
