import { readDigest } from '../../platform/node/runs/digest.ts';
import { createNamedRuns } from '../../server/runs/namedRuns.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';

/** Of a command that reads the runs that files name, each once. */
export function withRuns(io: Io): Io {
  const runs = createNamedRuns({
    read: (path, ranks) => readDigest(path, ranks, io, (ticks) => progressBar(io, ticks)),
    stampOf: (path) => (io.filesIn(path) === undefined && 'problem' in io.openBytes(path) ? '' : 'there'),
    found() {},
    now: () => io.now(),
  });
  return { ...io, runs };
}
