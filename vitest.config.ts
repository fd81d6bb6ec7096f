import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestFirst } from './scripts/checks/slowUnitFiles.ts';
import { patience } from './test/host/patience.ts';
import { commandFolder } from './test/support/commandFolder.ts';
import { runMultiplier } from './test/support/runMultiplier.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  // Scripts that tests start are TypeScript, which older versions cannot run.
  console.error(
    `Tests need Node 22.18 or newer, and this is ${process.versions.node}: use "npx vitest", which takes the Node 24 in node_modules.`,
  );
  process.exit(1);
}

// Threads and processes that tests start read TypeScript. What Node makes of it is kept, by content: each start is three times as fast.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'out', 'node-cache');

// Threads of tests make much that soon is garbage. With more room for it, a run takes a sixth less of the processors.
v8.setFlagsFromString('--min-semi-space-size=32');
v8.setFlagsFromString('--max-semi-space-size=64');

process.once('exit', () => rmSync(commandFolder, { recursive: true, force: true }));

// Ends what hangs. A property over whole files takes half a minute of two cores.
const limitMs = patience(60_000) * runMultiplier();

/** Files without a known time follow in the usual order. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files));
  }
}

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    setupFiles: ['test/support/lostAdvice.ts'],
    testTimeout: limitMs,
    hookTimeout: limitMs,
    pool: 'threads',
    // One module graph a worker instead of one a file: that halves the time. So no test may change what modules or the process share.
    isolate: false,
    maxWorkers: availableParallelism(),
    // Node reads the TypeScript itself. Vite would turn each use of an import into a call: a third more of the processors.
    // Without a loader of vitest there is no `vi.mock`, which nothing needs.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
  },
});
