/**
 * The server as a separate process, over the channel that its arguments name: `--stdio`, `--node-ipc`, `--socket=…` or
 * `--pipe=…`.
 */
import { keepCompiled } from './compiled.ts';

async function main(): Promise<void> {
  keepCompiled();
  // Not before: what is imported above is compiled anew.
  const { serve } = await import('./serve.ts');
  await serve();
}

void main();
