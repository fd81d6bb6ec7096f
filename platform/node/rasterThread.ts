/** A thread that draws one PNG, so that no document waits for it. */
import { parentPort } from 'node:worker_threads';
import type { Raster } from '../common/platform.ts';
import { rasterise } from './raster.ts';

parentPort?.once('message', (raster: Raster) => {
  // An error ends the thread, and who started it is told.
  void rasterise(raster).then((picture) => parentPort?.postMessage(picture));
});
