/** Runs the command that the arguments name. */
import { tellLostAdvice } from '../server/text/lostAdvice.ts';
import { printable } from '../server/text/printable.ts';
import { nodeIo } from './nodeIo.ts';
import { run } from './run.ts';

/** Sets an exit status and does not exit: what is still on its way to a pipe must arrive. */
export async function start(): Promise<void> {
  tellLostAdvice();
  try {
    process.exitCode = await run(process.argv.slice(2), nodeIo());
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`pipewright: ${text.split('\n').map(printable).join('\n')}\n`);
    process.exitCode = 2;
  }
}
