/**
 * Python programs that passed before and are unchanged do not run again: the same program, input and packages give the same answer.
 * `PIPEWRIGHT_TORCH=always` runs every program.
 */
import path from 'node:path';
import { test } from '../support/plainTests.ts';
import { type Answer, answerMemory } from './memory.ts';
import { packageVersions, root, runPython } from './python.ts';

const memory = answerMemory({
  folder: path.join(root, 'out', 'torch-answers'),
  run: runPython,
  versions: packageVersions,
  always: process.env['PIPEWRIGHT_TORCH'] === 'always',
});

/** A test whose Python programs are remembered once it has passed. */
export function torchTest(name: string, body: () => Promise<void> | void): void {
  test(name, async () => {
    memory.forget();
    await body();
    memory.keep();
  });
}

/** What Python prints for these arguments and this input, and its exit status. */
export const python = (args: readonly string[], input = ''): Answer => memory.ask(args, input);

/** How many programs did not run, as one line for the report of `npm test`. */
export function rememberedLine(): string {
  const { asked, remembered } = memory.counts();
  return `remembered: ${remembered} of ${asked} Python programs are unchanged since they passed; PIPEWRIGHT_TORCH=always runs them`;
}
