/** A thread with searches that tests of threads need: some never end, one without steps to end it at. */
import { threadId } from 'node:worker_threads';
import type { Search } from '../../../engine/basics/searches.ts';
import { threadChannel } from '../../../platform/node/startThread.ts';
import { entry, serve } from '../../../server/threads/serve.ts';

const search = <Problem, Answer>(
  name: string,
  steps: (problem: Problem) => Generator<unknown, Answer, void>,
): Search<Problem, Answer> => ({ name, size: () => 1, steps });

const begin = (numbers: Int32Array): void => {
  Atomics.store(numbers, 0, 1);
  Atomics.notify(numbers, 0);
};

serve(
  [
    entry(
      search('thread', function* () {
        yield;
        return threadId;
      }),
    ),
    entry(
      search('endless', function* (numbers: Int32Array) {
        begin(numbers);
        for (;;) yield;
      }),
    ),
    entry(
      // Counts as fast as it can until its second number is set, and answers with how far it has come.
      search('counting', function* (numbers: Int32Array) {
        let count = 0;
        begin(numbers);
        for (; Atomics.load(numbers, 1) === 0; count += 1) yield count;
        return count;
      }),
    ),
    entry(
      // Says something, then waits as the next one.
      search('saying', function* (numbers: Int32Array) {
        yield 'something';
        begin(numbers);
        Atomics.wait(numbers, 2, 0);
        yield;
      }),
    ),
    entry(
      // Waits without a further step until its third number is set, and answers with the second.
      search('held', function* (numbers: Int32Array) {
        yield;
        begin(numbers);
        Atomics.wait(numbers, 2, 0);
        return `answer ${numbers[1]}`;
      }),
    ),
  ],
  threadChannel(),
);
