/** A thread that reads one run, so that nothing waits for its gigabytes. Who started it ends it. */
import { parentPort } from 'node:worker_threads';
import type { RunAnswer } from '../../../engine/basics/host.ts';
import type { RunAsked, RunRead, RunShare } from '../../common/runs.ts';
import { byteStream } from './byteStream.ts';
import { readDigest } from './digest.ts';
import { filesIn } from './filesIn.ts';
import { readRunSummary } from './runSummary.ts';

export interface AskedRun {
  readonly path: string;
  readonly ranks: readonly number[];
}

/** What a plan needs of a run, or what a comparison and a calibration need. */
export type ThreadAsked = { readonly digest: AskedRun } | { readonly summary: RunAsked };
export type ThreadAnswered =
  { readonly digest: RunAnswer } | { readonly summary: RunRead } | { readonly progress: RunShare };

const disk = { openBytes: byteStream, filesIn };
const quiet = { tick() {}, end() {} };
const post = (message: ThreadAnswered): void => parentPort?.postMessage(message);

parentPort?.once('message', (asked: ThreadAsked) => {
  // An error ends the thread, and who started it is told.
  if ('digest' in asked)
    void readDigest(asked.digest.path, asked.digest.ranks, disk, () => quiet).then((digest) => post({ digest }));
  else void readRunSummary(asked.summary, (progress) => post({ progress })).then((summary) => post({ summary }));
});
