import { onLostAdvice } from '../../engine/basics/advice.ts';
import { printable } from './printable.ts';

/** Says on standard error which advice was left out, each once: the rest of an answer is right without it. */
export function tellLostAdvice(): void {
  const said = new Set<string>();
  onLostAdvice((name, error) => {
    if (said.has(name)) return;
    said.add(name);
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const lines = `left out, because of an error in pipewright: ${name}. ${reason}`.split('\n').map(printable);
    console.error(`pipewright: ${lines.join('\n')}`);
  });
}
