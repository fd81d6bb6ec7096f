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
import { missingTests } from './missing.page.ts';
import { raceTests } from './race.page.ts';
import { stateTests } from './states.page.ts';
import { systemTests } from './systems.page.ts';
import { toolbarTests } from './toolbar.page.ts';
import { typingTests } from './typing.page.ts';
import { whyTests } from './why.page.ts';
import { writtenTests } from './written.page.ts';
import { patience } from '../host/patience.ts';

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
const longest = patience(60_000);
/** Tests at a time, each in a context of its own: pages wait for frames and timers for most of a test. */
const atOnce = 2;

const browser = await launch();
const left = all.filter((test) => test.name.includes(wanted));
let passed = 0;
let failed = 0;

async function work(): Promise<void> {
  for (let test = left.shift(); test !== undefined; test = left.shift()) {
    const { name, run } = test;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took longer than ${longest / 1000} s`)), longest);
    });
    const started = performance.now();
    try {
      await Promise.race([run(browser), late]);
      passed += 1;
      console.log(`ok     ${seconds(started)}  ${name}`);
    } catch (error) {
      failed += 1;
      console.log(
        `FAILED ${seconds(started)}  ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

const seconds = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s`;

try {
  await Promise.all(Array.from({ length: atOnce }, work));
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
// A test that failed may have left a server behind, which would keep this process alive.
process.exit(failed === 0 && passed > 0 ? 0 : 1);
