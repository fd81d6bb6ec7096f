/** A thread that draws one PNG, so that no document waits for it. */
import { parentPort } from 'node:worker_threads';
import { rasterise, type Scale } from './raster.ts';

export interface Raster {
  readonly svg: string;
  readonly scale: Scale;
}

parentPort?.once('message', ({ svg, scale }: Raster) => {
  // An error ends the thread, and who started it is told.
  void rasterise(svg, scale).then((bytes) => parentPort?.postMessage(bytes));
});
