/** Loaded into a server before its own code: notes the CPU time of the longest piece of work of its main thread. */
import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** File that gets the figures when the process ends. */
const out = process.env['PIPEWRIGHT_TURNS'];

if (isMainThread && out !== undefined) {
  let depth = 0;
  let begun = process.threadCpuUsage();
  const pieces: number[] = [];
  const atStart = process.threadCpuUsage();
  createHook({
    before() {
      if (depth === 0) begun = process.threadCpuUsage();
      depth += 1;
    },
    after() {
      depth -= 1;
      if (depth > 0) return;
      const { user, system } = process.threadCpuUsage(begun);
      const took = (user + system) / 1000;
      if (took > 1) pieces.push(took);
    },
  }).enable();
  process.on('SIGUSR2', () => {
    pieces.length = 0;
  });
  process.on('exit', () => {
    const main = process.threadCpuUsage(atStart);
    const all = process.cpuUsage();
    const sorted = pieces.toSorted((a, b) => b - a);
    writeFileSync(
      out,
      JSON.stringify({
        longest: sorted.slice(0, 10),
        over: sorted.filter((took) => took > 8).length,
        main: (main.user + main.system) / 1000,
        all: (all.user + all.system) / 1000,
      }),
    );
  });
}
