import { Worker } from 'node:worker_threads';
import type { RunAnswer } from '../../../engine/basics/host.ts';
import type { Reading } from '../../common/platform.ts';
import type { RunAsked, RunRead, RunShare } from '../../common/runs.ts';
import type { AskedRun, ThreadAnswered, ThreadAsked } from './runThread.ts';

/** The thread's bundle, next to the server's; its source if the server runs from source. */
const script = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './runThread.ts' : './runThread.js', import.meta.url);

function inThread(asked: ThreadAsked, tell: (progress: RunShare) => void): Reading<ThreadAnswered> {
  const worker = new Worker(script());
  // A server that has nothing else to do may end.
  worker.unref();
  const answer = new Promise<ThreadAnswered>((resolve, reject) => {
    worker.on('message', (message: ThreadAnswered) => {
      if ('progress' in message) return tell(message.progress);
      resolve(message);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that reads runs ended.')));
    worker.postMessage(asked);
  });
  return { answer, cancel: () => void worker.terminate() };
}

/** What a run says. */
export async function runInThread(asked: AskedRun): Promise<RunAnswer> {
  const answered = await inThread({ digest: asked }, () => {}).answer;
  return 'digest' in answered ? answered.digest : 'reading';
}

/** The summary of a run; `tell` hears how far that is. */
export function summaryInThread(asked: RunAsked, tell: (progress: RunShare) => void): Reading<RunRead> {
  const { answer, cancel } = inThread({ summary: asked }, tell);
  const summary = answer.then((answered) =>
    'summary' in answered ? answered.summary : { problem: 'The run was not read.' },
  );
  return { answer: summary, cancel };
}
