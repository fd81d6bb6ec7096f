import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
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

// Ends what hangs. A property over whole files takes half a minute of two busy cores.
const limitMs = 150_000 * runMultiplier();

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    testTimeout: limitMs,
    hookTimeout: limitMs,
    pool: 'threads',
    // One module graph a worker instead of one a file: that halves the time. So no test may change what modules or the process share.
    isolate: false,
    maxWorkers: availableParallelism(),
    reporters: ['default'],
  },
});
