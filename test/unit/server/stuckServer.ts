/** A server whose main thread never comes back: `stuckServer.ts CLIENT`, the number of the client's process. */
import { watchClient } from '../../../platform/node/watchdog.ts';

watchClient(Number(process.argv[2]));
process.stdout.write('stuck\n', () => {
  for (;;);
});
