/**
 * Runs that files name, as the engine asks for them: it gets what is known at once, and asks again once a run is read. A run is read anew
 * when a file of it has changed.
 */
import type { RunAnswer } from '../../engine/basics/host.ts';

export interface NamedRunsHost {
  /** What the traces at a path say, of these ranks or of all. */
  read(path: string, ranks: readonly number[]): Promise<RunAnswer>;
  /** Differs once a file there has changed; empty where there is none. */
  stampOf(path: string): string;
  /** A run that was asked for by this uri is read. */
  found(uri: string): void;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

export interface NamedRuns {
  find(uri: string, path: string, ranks: readonly number[]): RunAnswer;
  /** Something has changed on disk: stamps are looked at again. */
  changed(): void;
  /** Resolves once nothing is being read. Whether something was. */
  settled(): Promise<boolean>;
}

interface Known {
  stamp: string;
  /** When the stamp was looked at: a folder may have thousands of files, and the engine asks at every keystroke. */
  looked: number;
  answer: RunAnswer;
}

const lookEvery = 1_000;
/** More runs are no file's. */
const mostKnown = 256;

export function createNamedRuns({ read, stampOf, found, now }: NamedRunsHost): NamedRuns {
  const known = new Map<string, Known>();
  // One after the other: each takes all of a processor.
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function start(uri: string, path: string, ranks: readonly number[], run: Known): Promise<void> {
    const { stamp } = run;
    let answer: RunAnswer;
    try {
      answer = await read(path, ranks);
    } catch (error) {
      answer = { problem: error instanceof Error ? error.message : String(error) };
    }
    // It has changed meanwhile, and is read again.
    if (run.stamp !== stamp) return;
    run.answer = answer;
    found(uri);
  }

  return {
    find(uri, path, ranks) {
      const key = JSON.stringify([path, ranks]);
      const before = known.get(key);
      if (before !== undefined && now() < before.looked + lookEvery) return before.answer;
      const stamp = stampOf(path);
      const run: Known = before ?? { stamp: '', looked: 0, answer: 'reading' };
      run.looked = now();
      if (before?.stamp === stamp) return run.answer;
      if (stamp === '') {
        known.delete(key);
        return { problem: 'there is no such file or folder. Paths start at the folder of this file' };
      }
      if (known.size >= mostKnown) known.delete(known.keys().next().value ?? '');
      known.set(key, run);
      run.stamp = stamp;
      run.answer = 'reading';
      waiting += 1;
      queue = queue.then(() => start(uri, path, ranks, run)).finally(() => (waiting -= 1));
      return 'reading';
    },
    changed() {
      for (const run of known.values()) run.looked = Number.NEGATIVE_INFINITY;
    },
    async settled() {
      if (waiting === 0) return false;
      while (waiting > 0) await queue;
      return true;
    },
  };
}
