/** Rows that the engine writes: each run of microbatches is one range, and the text gives the same order. */
import { expect, it, test } from 'vitest';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { apply } from '../../../../engine/fixes/proposal.ts';
import { rowText } from '../../../../engine/fixes/rowText.ts';
import { sequenceText } from '../../../../engine/fixes/repairs/sequenceText.ts';
import { writtenOperation } from '../../../../engine/fixes/repairs/writtenOperation.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { kindOf, letters, microbatchOf, type Program, stageOf } from '../../../../engine/values/program.ts';
import type { PipelinePlan, RowItem } from '../../../../engine/values/plan.ts';
import { analyse, checkedAfter } from '../../../support/analyse.ts';
import { joinable } from '../../../support/joinable.ts';
import { namesOf, programFor } from '../../schedule/bruteForce.ts';

const fileOf = (schedule: string, stages: number, devices: number, microbatches: number, rules = ''): string => `
device gpu { memory = 64GiB }
cluster box { gpu[${devices}] = gpu  link = 25GB/s }
model net { layer block[${stages}] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
${rules}
pipeline train { model = net  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = ${schedule} }
`;

/** Schedules, their placement in rows, and stages of a device. */
const policies = [
  ['gpipe', 'linear', 1],
  ['1f1b', 'linear', 1],
  ['zb_h1', 'linear', 1],
  ['zb_h2', 'linear', 1],
  ['interleaved_1f1b', 'loop(2)', 2],
  ['interleaved_zb', 'loop(2)', 2],
  ['zb_v', 'v_shape', 2],
  ['v_half', 'v_shape', 2],
] as const;
const shapes = [
  [1, 1],
  [2, 4],
  [3, 6],
  [4, 8],
] as const;

const grid = policies.flatMap(([name, placement, chunks]) =>
  shapes.map(([devices, microbatches]) => ({ name, placement, chunks, devices, microbatches })),
);

function planOf(text: string): PipelinePlan {
  const analysis = analyse(text);
  expect(analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return analysis.resolution.plan.pipelines[0];
}

const rowsOf = (program: Program): readonly (readonly RowItem[])[] =>
  Array.from({ length: program.devices }, (_, device) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]), (word) => ({
      op: letters[kindOf(program, word)],
      stage: stageOf(program, word),
      microbatch: microbatchOf(program, word),
      item: 0,
    })),
  );

/** The order of a policy, written row by row. */
function written(
  { name, placement, chunks, devices, microbatches }: (typeof grid)[number],
  write: (plan: PipelinePlan, row: readonly RowItem[]) => string,
) {
  const stages = chunks * devices;
  const plan = planOf(fileOf(name, stages, devices, microbatches));
  const program = programFor(plan);
  const rows = rowsOf(program).map((row) => write(plan, row));
  const rules = [`placement = ${placement}`, ...rows.map((row, device) => `row(${device}) = ${row}`)];
  return {
    program,
    rows,
    text: fileOf('kept', stages, devices, microbatches, `schedule kept {\n  ${rules.join('\n  ')}\n}`),
  };
}

test.each([
  ['ranges', (plan: PipelinePlan, row: readonly RowItem[]) => rowText(row, plan.stages.length > plan.devices.length)],
  ['zips', (plan: PipelinePlan, row: readonly RowItem[]) => sequenceText(row.map(writtenOperation(plan)))],
] as const)('rows of policies in %s have nothing to join, and read back to the same order', (_, write) => {
  for (const shape of grid) {
    const { program, rows, text } = written(shape, write);
    expect(rows.flatMap(joinable), `${shape.name} ${shape.devices}`).toEqual([]);
    const again = generate(planOf(text));
    if ('faults' in again) throw new Error(again.faults.map(({ message }) => message).join('\n'));
    expect(namesOf(again.program)).toEqual(namesOf(program));
  }
});

/** Fixes of rows of a policy in which one operation is not in its place. */
test.each(['schedule/deadlock', 'schedule/incomplete'] as const)(
  'rows that a fix of %s changes have nothing to join',
  (code) => {
    let fixed = 0;
    for (const shape of grid) {
      if (shape.devices !== 3 || (code === 'schedule/deadlock' && shape.chunks > 1)) continue;
      const several = shape.chunks > 1;
      const { rows } = written(shape, (_, row) => rowText(row, several));
      const operations = rowsOf(programFor(planOf(fileOf(shape.name, 3 * shape.chunks, 3, shape.microbatches))));
      for (const [device, row] of operations.entries())
        for (let at = device; at < row.length; at += 16) {
          const left = row.toSpliced(at, 1);
          const now = code === 'schedule/incomplete' ? left : left.toSpliced((at * 7) % row.length, 0, row[at]);
          const changed = rows.with(device, rowText(now, several));
          const rules = changed.map((each, index) => `row(${index}) = ${each}`).join('\n  ');
          const schedule = `schedule kept {\n  placement = ${shape.placement}\n  ${rules}\n}`;
          const text = fileOf('kept', 3 * shape.chunks, 3, shape.microbatches, schedule);
          const analysis = analyse(text);
          const finding = analysis.findings.find((each) => each.code === code);
          if (finding === undefined) continue;
          for (const { edits } of fixesFor(analysis, finding, checkedAfter(analysis))) {
            fixed += 1;
            expect(joinable(apply(text, edits)), text).toEqual([]);
          }
        }
    }
    expect(fixed).toBeGreaterThan(10);
  },
);

it('a comment between two ranges keeps them apart', () => {
  const rows = (first: string) =>
    `schedule kept {\n  row(0) = ${first}\n  row(1) = F[0], B[0], F[1], B[1], F[2], B[2]\n}`;
  const text = (first: string) => fileOf('kept', 2, 2, 3, rows(first));
  const fixedFrom = (first: string) => {
    const analysis = analyse(text(first));
    const finding = analysis.findings.find(({ code }) => code === 'schedule/incomplete');
    const [fix] = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
    return apply(analysis.syntax.text, fix?.edits ?? []);
  };
  expect(fixedFrom('F[0..2], B[0], B[2]')).toContain('row(0) = F[0..2], B[0..2]\n');
  expect(fixedFrom('F[0..2], B[0], // first\n    B[2]')).toContain('row(0) = F[0..2], B[0], // first\n    B[1..2]\n');
});
