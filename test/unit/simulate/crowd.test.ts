import { expect, it } from 'vitest';
import { crowdOf } from '../../../engine/simulate/sharing/crowd.ts';
import { kindsIn, type Program } from '../../../engine/values/program.ts';
import { analyseExample } from '../../support/analyse.ts';

/** One device sends 10 bytes in each forward of a second, through a link of 15 bytes a second. */
const crowd = (program: Program) => {
  const operations = [{ stage: 0, forward: 10, input: 0, weight: 0, update: 0 }];
  const crowdedLinks = [{ link: 'card', bandwidth: 15, users: [], operations }];
  return crowdOf({ crowdedLinks }, program, new Float64Array(kindsIn(program) * program.stages).fill(1));
};

it('two operations of a slot can fill a link that one leaves room in', () => {
  const programs = analyseExample('systems/dualpipe.pipe').pipelines.flatMap(({ run }) => run?.program ?? []);
  const fused = programs.find((program) => program.fused !== undefined);
  if (fused === undefined) throw new Error('no slot of two operations');
  expect(crowd(fused)).toBeDefined();
  expect(crowd({ ...fused, fused: undefined })).toBeUndefined();
});
