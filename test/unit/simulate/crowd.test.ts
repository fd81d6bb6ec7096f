import { expect, it } from 'vitest';
import { crowdOf, linkSeconds } from '../../../engine/simulate/sharing/crowd.ts';
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

const { plan } = analyseExample('data-parallel.pipe').pipelines[0];
const user = (bytes: number, ...devices: readonly number[]) => ({ devices, stages: [], bytes });
const link = (bandwidth: number, ...users: readonly ReturnType<typeof user>[]) => ({
  ...{ link: 'card', bandwidth, users, operations: [] },
});

it('the iteration of each user of a link takes at least the bytes of all of them', () => {
  const devices = Array.from({ length: 4 }, () => plan.devices[0]);
  // 30 + 60 bytes through the first link: 9 s for its users, whatever each sends. Device 1 has 12 s of the second link.
  const crowdedLinks = [link(10, user(30, 0), user(60, 1, 2)), link(5, user(60, 1))];
  expect([...(linkSeconds({ crowdedLinks, devices }) ?? [])]).toEqual([9, 12, 9, 0]);
  expect(linkSeconds({ crowdedLinks: [], devices })).toBeUndefined();
});
