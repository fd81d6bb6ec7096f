import path from 'node:path';

/**
 * Unit tests that take over 2 seconds of a quiet processor, the longest first: the order in which all are started. `npm test -- quick`
 * runs them only if they have changed.
 */
export const slowUnitFiles: readonly string[] = [
  'test/unit/fixes/everyExample.test.ts',
  'test/unit/fixes/everyFix.test.ts',
  'test/unit/fixes/advice.test.ts',
  'test/unit/search/bound.test.ts',
  'test/unit/examples/reports.test.ts',
  'test/unit/flow/anyMesh.test.ts',
  'test/unit/schedule/grid.test.ts',
  'test/unit/server/planSearch.test.ts',
  'test/unit/flow/damaged.test.ts',
  'test/unit/search/spans.test.ts',
  'test/unit/planning/planners/pipedream.test.ts',
  'test/unit/docs/plans.test.ts',
  'test/unit/flow/anySchedule.test.ts',
  'test/unit/docs/whatFits.test.ts',
  'test/unit/flow/edits.test.ts',
  'test/unit/flow/reading.test.ts',
  'test/unit/server/quickFixes.test.ts',
  'test/unit/server/policies.test.ts',
  'test/unit/server/robustness.test.ts',
  'test/unit/schedule/search/instances.test.ts',
  'test/unit/grammar/nesting.test.ts',
  'test/unit/flow/metamorphicRanks.test.ts',
  'test/unit/search/search.test.ts',
  'test/unit/flow/accuracy/accuracy.test.ts',
  'test/unit/fixes/newPipeline.test.ts',
  'test/unit/fixes/betterPolicy.test.ts',
  'test/unit/analyze/waits/waitChain.test.ts',
  'test/unit/scripts/packages.test.ts',
  'test/unit/scripts/vsix.test.ts',
  'test/unit/cli/secrets.test.ts',
  'test/unit/webview/damagedPlans.test.ts',
  'test/unit/fixes/anyFile.test.ts',
  'test/unit/server/slow.test.ts',
  'test/unit/server/heavyTexts.test.ts',
  'test/unit/server/watchdog.test.ts',
  'test/unit/limits/budget.test.ts',
  'test/unit/schedule/zbAuto/steps.test.ts',
  'test/unit/std/scheduleOrders.test.ts',
  'test/unit/sweep/stopped.test.ts',
  'test/unit/sweep/sweep.test.ts',
  'test/unit/schedule/policies.test.ts',
  'test/unit/cli/files.test.ts',
  'test/unit/fixes/repairs/names.test.ts',
  'test/unit/flow/metamorphicLinks.test.ts',
  'test/unit/formats/torchRoundTrip.test.ts',
  'test/unit/formats/secrets.test.ts',
  'test/unit/sequences/anyCopies.test.ts',
  'test/unit/fixes/repairs/plans.test.ts',
  'test/unit/fixes/repairs/together.test.ts',
  'test/unit/fixes/repairs/writtenRows.test.ts',
  'test/unit/server/starters.test.ts',
  'test/unit/fixes/performance.test.ts',
  'test/unit/flow/resolve/robust.test.ts',
  'test/unit/schedule/chunked.test.ts',
  'test/unit/schedule/ruleOperations.test.ts',
  'test/unit/cli/compare.test.ts',
  'test/unit/docs/schedules.test.ts',
  'test/unit/planning/dagBalance.test.ts',
  'test/unit/schedule/search/prefer.test.ts',
  'test/unit/server/lifecycle.test.ts',
  'test/unit/network/routes.test.ts',
  'test/unit/planning/memoryCut.test.ts',
  'test/unit/schedule/recomputeAhead.test.ts',
  'test/unit/sequences/wholeSchedules.test.ts',
  'test/unit/fixes/userFiles.test.ts',
  'test/unit/flow/lengths/schedules.test.ts',
  'test/unit/formats/torchDamage.test.ts',
  'test/unit/examples/examples.test.ts',
  'test/unit/analyze/orderCurve.test.ts',
  'test/unit/webview/density.test.ts',
  'test/unit/fixes/modules.test.ts',
  'test/unit/cli/simulate.test.ts',
  'test/unit/grammar/edited.test.ts',
  'test/unit/server/scheduleCompletion.test.ts',
  'test/unit/read/scheduleFrom.test.ts',
  'test/unit/docs/howSure.test.ts',
  'test/unit/flow/asynchronous/waiting.test.ts',
  'test/unit/sequences/slotOperations.test.ts',
  'test/unit/sequences/anySchedule.test.ts',
  'test/unit/server/shorterOrders.test.ts',
  'test/unit/drawing/filmSvg.test.ts',
];

const root = path.resolve(import.meta.dirname, '../..');
const places = new Map(slowUnitFiles.map((file, place) => [path.join(root, file), place]));
const placeOf = ({ moduleId }: TestFile): number => places.get(path.normalize(moduleId)) ?? places.size;

/** A file of tests, as vitest names it: by its whole path. */
interface TestFile {
  readonly moduleId: string;
}

/** Files in the order of `slowUnitFiles`, so that no core idles at the end while the other one runs the longest; then the others as they are. */
export const longestFirst = <File extends TestFile>(files: readonly File[]): File[] =>
  files.toSorted((a, b) => placeOf(a) - placeOf(b));
