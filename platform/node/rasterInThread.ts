import { Worker } from 'node:worker_threads';
import type { Picture, Raster } from '../common/platform.ts';

/** The thread's bundle, next to the server's; its source if the server runs from source. */
const script = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './rasterThread.ts' : './rasterThread.js', import.meta.url);

/** The PNG of an SVG. */
export function rasterInThread(raster: Raster): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script());
    worker.once('message', (picture: Picture) => {
      resolve(picture);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that draws pictures ended.')));
    worker.postMessage(raster);
  });
}
