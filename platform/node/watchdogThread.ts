/** Ends the process once its client is gone and its main thread is stuck: then nothing else can end it. */
import { workerData } from 'node:worker_threads';
import { beat, looker, type Watched } from './watchdog.ts';

const { beats, client } = workerData as Watched;

/** A signal of 0 is not sent. Without permission to send one there is a process. */
function lives(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const look = looker(
  () => Atomics.load(beats, 0),
  () => lives(client),
  () => process.kill(process.pid, 'SIGKILL'),
);
setInterval(look, beat);
