/** Tests of the preview page in a real Chromium. Prints each test with its time, and at the end `N passed, N failed`. */
import { accessibilityTests } from './accessibility.page.ts';
import { argumentTests } from './scheduleArguments.page.ts';
import { benchTests } from './bench.page.ts';
import { besideTests } from './beside.page.ts';
import { blockTests } from './blocks.page.ts';
import type { PageTest } from './check.ts';
import { damagedTests } from './damaged.page.ts';
import { deviceTests } from './device.page.ts';
import { everyStateTests } from './everyState.page.ts';
import { filmTests } from './film.page.ts';
import { figureTests } from './figures.page.ts';
import { groupTests } from './groups.page.ts';
import { launch } from './harness.ts';
import { hoverTests } from './hover.page.ts';
import { interactionTests } from './interaction.page.ts';
import { keyboardTests } from './keyboard.page.ts';
import { laneTests } from './lanes.page.ts';
import { layoutTests } from './layout.page.ts';
import { lifecycleTests } from './lifecycle.page.ts';
import { linkTests } from './links.page.ts';
import { markTests } from './marks.page.ts';
import { orderTests } from './orders.page.ts';
import { reachTests } from './reach.page.ts';
import { runTests } from './run.page.ts';
import { rowMoveTests } from './rowMoves.page.ts';
import { sensitivityTests } from './sensitivity.page.ts';
import { stampTests } from './stamp.page.ts';
import { standaloneTests } from './standalone.page.ts';
import { planTests } from './plan.page.ts';
import { playgroundTests } from './playground.page.ts';
import { missingTests } from './missing.page.ts';
import { raceTests } from './race.page.ts';
import { stateTests } from './states.page.ts';
import { systemTests } from './systems.page.ts';
import { toolbarTests } from './toolbar.page.ts';
import { typingTests } from './typing.page.ts';
import { whyTests } from './why.page.ts';
import { writtenTests } from './written.page.ts';
import { runTests as runAll, test } from '../support/plainTests.ts';

const wanted = process.argv[2] ?? '';
const all: readonly PageTest[] = [
  ...argumentTests,
  ...benchTests,
  ...besideTests,
  ...blockTests,
  ...damagedTests,
  ...deviceTests,
  ...figureTests,
  ...filmTests,
  ...groupTests,
  ...hoverTests,
  ...interactionTests,
  ...keyboardTests,
  ...laneTests,
  ...layoutTests,
  ...lifecycleTests,
  ...linkTests,
  ...markTests,
  ...orderTests,
  ...reachTests,
  ...rowMoveTests,
  ...runTests,
  ...sensitivityTests,
  ...stampTests,
  ...missingTests,
  ...planTests,
  ...playgroundTests,
  ...standaloneTests,
  ...raceTests,
  ...stateTests,
  ...accessibilityTests,
  ...everyStateTests,
  ...systemTests,
  ...toolbarTests,
  ...typingTests,
  ...whyTests,
  ...writtenTests,
];

// Each test starts the page's scripts anew: what optimises them for a long run costs more than it saves in a short one.
const browser = await launch(undefined, ['--js-flags=--no-turbofan --invocation-count-for-maglev=2000']);
for (const { name, run } of all) if (name.includes(wanted)) test(name, () => run(browser));
try {
  // Each has a context of its own, and waits for frames and timers for most of its time.
  await runAll({ atOnce: 2 });
} finally {
  await browser.close();
}
// A test that failed may have left a server behind, which would keep this process alive.
process.exit();
