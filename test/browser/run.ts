/** Tests of the preview page in a real Chromium. Prints each failure, and at the end `N passed, N failed`. */
import { accessibilityTests } from './accessibility.page.ts';
import { blockTests } from './blocks.page.ts';
import type { PageTest } from './check.ts';
import { deviceTests } from './device.page.ts';
import { everyStateTests } from './everyState.page.ts';
import { figureTests } from './figures.page.ts';
import { groupTests } from './groups.page.ts';
import { launch } from './harness.ts';
import { hoverTests } from './hover.page.ts';
import { interactionTests } from './interaction.page.ts';
import { layoutTests } from './layout.page.ts';
import { lifecycleTests } from './lifecycle.page.ts';
import { markTests } from './marks.page.ts';
import { standaloneTests } from './standalone.page.ts';
import { raceTests } from './race.page.ts';
import { stateTests } from './states.page.ts';
import { systemTests } from './systems.page.ts';
import { toolbarTests } from './toolbar.page.ts';
import { whyTests } from './why.page.ts';

const wanted = process.argv[2] ?? '';
const all: readonly PageTest[] = [
  ...blockTests,
  ...deviceTests,
  ...figureTests,
  ...groupTests,
  ...hoverTests,
  ...interactionTests,
  ...layoutTests,
  ...lifecycleTests,
  ...markTests,
  ...standaloneTests,
  ...raceTests,
  ...stateTests,
  ...accessibilityTests,
  ...everyStateTests,
  ...systemTests,
  ...toolbarTests,
  ...whyTests,
];
const longest = 60_000;

const browser = await launch();
let passed = 0;
let failed = 0;
try {
  for (const { name, run } of all.filter((test) => test.name.includes(wanted))) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took longer than ${longest / 1000} s`)), longest);
    });
    try {
      await Promise.race([run(browser), late]);
      passed += 1;
    } catch (error) {
      failed += 1;
      console.log(`✗ ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    } finally {
      clearTimeout(timer);
    }
  }
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
// A test that failed may have left a server behind, which would keep this process alive.
process.exit(failed === 0 && passed > 0 ? 0 : 1);
