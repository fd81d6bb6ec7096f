/** Rows that are not written yet. */
import { expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import { pipelineOf } from './written.ts';

const errors = (rows: string, stages = 4): readonly string[] =>
  analyse(pipelineOf(`schedule mine { ${rows} }`, { devices: 4, stages })).findings.flatMap(
    ({ severity, code, message }) => (severity === 'error' ? [`${code}: ${message}`] : []),
  );

it('are named, where the first one alone is written', () => {
  expect(errors('row(0) = F[0..<microbatches], B[0..<microbatches]').map((message) => message.slice(0, 60))).toEqual([
    'schedule/incomplete: The row of gpu[1] is empty or not writt',
    'schedule/incomplete: The row of gpu[2] is empty or not writt',
    'schedule/incomplete: The row of gpu[3] is empty or not writt',
  ]);
});

it('are not missing where the rows name all stages', () => {
  const both = (a: number, b: number) =>
    `F[0..3, stage = ${a}], F[0..3, stage = ${b}], B[0..3, stage = ${b}], B[0..3, stage = ${a}]`;
  expect(errors(`row(0) = ${both(0, 1)}  row(1) = ${both(2, 3)}`)).toEqual([]);
});
