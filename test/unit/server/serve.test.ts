/** A thread that shares no memory with the server: it hears what nobody wants between two steps. */
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { inNextTurn } from '../../../platform/common/turn.ts';
import type { Search } from '../../../engine/basics/searches.ts';
import { entry, serve } from '../../../server/threads/serve.ts';

const endless: Search<null, never> = {
  name: 'endless',
  size: () => 1,
  *steps() {
    for (;;) yield;
  },
};
const double: Search<number, number> = {
  name: 'double',
  size: () => 1,
  *steps(number) {
    yield;
    return 2 * number;
  },
};

test('a search that nobody wants ends, and the thread takes the next task', async () => {
  const { port1: server, port2: thread } = new MessageChannel();
  let unwanted: unknown;
  serve([entry(endless), entry(double)], {
    listen: (receive) =>
      void thread.on('message', (message: unknown) => {
        if (typeof message === 'number') unwanted = message;
        else receive(message);
      }),
    send: (message) => thread.postMessage(message),
    isUnwanted: (task) => unwanted === task,
    hear: () => new Promise((resolve) => inNextTurn(resolve)),
  });
  const heard: unknown[] = [];
  const answers = new Promise<void>((resolve) =>
    server.on('message', (message: unknown) => {
      heard.push(message);
      if (heard.length === 2) server.postMessage({ task: 2, search: 'double', problem: 21 });
      if (heard.length === 3) resolve();
    }),
  );
  server.postMessage({ task: 1, search: 'endless', problem: null });
  server.postMessage(1);
  await answers;
  expect(heard).toEqual([{ ready: true }, { task: 1, givenUp: true }, { task: 2, answer: 42 }]);
  server.close();
});
