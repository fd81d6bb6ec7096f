/** The side of a process of Node. */
import { availableParallelism } from 'node:os';
import type { Platform } from '../common/platform.ts';
import { createDisk } from './disk.ts';
import { packageVersion } from './packageVersion.ts';
import { pageSources } from './pageSources.ts';
import { rasterInThread } from './rasterInThread.ts';
import { createReadOnlyCopies } from './readOnlyCopies.ts';
import { runInThread, summaryInThread } from './runs/runInThread.ts';
import { stampOf } from './runs/stamp.ts';
import { threadStarter } from './startThread.ts';

export const nodePlatform: Platform = {
  version: packageVersion(),
  cores: availableParallelism,
  startThread: threadStarter(),
  disk: createDisk,
  runs: { read: (path, ranks) => runInThread({ path, ranks }), stampOf, summarise: summaryInThread },
  copies: createReadOnlyCopies,
  rasterise: rasterInThread,
  pageSources: () => Promise.resolve(pageSources()),
};
