/**
 * `npm run bench`: tables of figures beside their goals. Exit status 1 where a goal is missed and `--strict` is given. With
 * `--against=FOLDER`, the same table of another checkout comes after each: before and after, on a machine that is as busy.
 */
import { spawnSync } from 'node:child_process';
import { calibrate } from './calibrate.ts';
import { busyTable } from './measures/busy.ts';
import { frameTable } from './measures/frame.ts';
import { heavyTable } from './measures/heavy.ts';
import { jobTable } from './measures/job.ts';
import { keystrokeTable } from './measures/keystroke.ts';
import { laneTable } from './measures/lane.ts';
import { largeTable } from './measures/large.ts';
import { motionTable } from './measures/motion.ts';
import { pageTable } from './measures/page.ts';
import { parseTable } from './measures/parse.ts';
import { passesTable } from './measures/passes.ts';
import { placementTable } from './measures/placement.ts';
import { planTable } from './measures/plan.ts';
import { redrawTable } from './measures/redraw.ts';
import { gridTable, schedulesTable } from './measures/schedules.ts';
import { searchTable } from './measures/search.ts';
import { orderTable, simulateTable } from './measures/simulate.ts';
import { playgroundTable } from './measures/playground.ts';
import { sizesTable } from './measures/sizes.ts';
import { startTable } from './measures/start.ts';
import { textsTable } from './measures/texts.ts';
import { treesTable } from './measures/trees.ts';
import { usesTable } from './measures/uses.ts';
import { type Table, tableText } from './rows.ts';

const tables: readonly (readonly [name: string, make: () => Table | Promise<Table>])[] = [
  ['parse', parseTable],
  ['simulate', simulateTable],
  ['passes', passesTable],
  ['orders', orderTable],
  ['schedules', schedulesTable],
  ['grid', gridTable],
  ['trees', treesTable],
  ['placement', placementTable],
  ['plan', planTable],
  ['search', searchTable],
  ['job', jobTable],
  ['lane', laneTable],
  ['large', largeTable],
  ['keystroke', keystrokeTable],
  ['uses', usesTable],
  ['busy', busyTable],
  ['heavy', heavyTable],
  ['frame', frameTable],
  ['redraw', redrawTable],
  ['page', pageTable],
  ['motion', motionTable],
  ['texts', textsTable],
  ['start', startTable],
  ['sizes', sizesTable],
  ['playground', playgroundTable],
];
/** They need a Chromium or a build, or take minutes, so they run only when they are named. */
const onRequest: ReadonlySet<string> = new Set(['page', 'motion', 'texts', 'start', 'sizes', 'playground']);

const against = process.argv.find((one) => one.startsWith('--against='))?.slice('--against='.length);
const wanted = process.argv.slice(2).filter((one) => !one.startsWith('-'));
const unknown = wanted.filter((one) => !tables.some(([name]) => name === one));
if (unknown.length > 0) {
  console.error(`There is no table ${unknown.join(', ')}; there are ${tables.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}

/** The table of another checkout, without what its run says of the machine. */
function tableIn(folder: string, name: string): string {
  const ran = spawnSync(process.execPath, ['bench/run.ts', name], { cwd: folder, encoding: 'utf8' });
  if (ran.error !== undefined || ran.stdout === '') return ran.error?.message ?? ran.stderr;
  return ran.stdout.replaceAll(/^(?:Node v|calibration loop|\d+ of \d+ goals met).*$/gmu, '').trim();
}

const before = calibrate();
console.log(
  `Node ${process.version}; best of five, CPU time; calibration loop ${before.toFixed(2)} ms, the unit of "loops"`,
);
let goals = 0;
let met = 0;
for (const [name, make] of tables) {
  if (wanted.length > 0 ? !wanted.includes(name) : onRequest.has(name)) continue;
  const loop = calibrate();
  const table = await make();
  console.log(tableText(table, loop));
  if (against !== undefined) console.log(`before, in ${against}:\n${tableIn(against, name)}`);
  for (const { goal } of table.rows) {
    if (goal === undefined) continue;
    goals += 1;
    if (goal.met) met += 1;
  }
}
const after = calibrate();
console.log(
  `calibration loop at the end ${after.toFixed(2)} ms${after > 1.2 * before ? ' (slower than at the start: the machine was busy)' : ''}`,
);
console.log(`${met} of ${goals} goals met`);
process.exit(met < goals && process.argv.includes('--strict') ? 1 : 0);
