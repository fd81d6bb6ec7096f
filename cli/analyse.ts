import { type Analysis, checkSteps } from '../engine/check.ts';
import { defaultOptions } from '../engine/host.ts';
import { diskHost, shownPath, uriOf } from './host.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';

export interface Analysed {
  /** As shown to the user. */
  readonly path: string;
  readonly text: string;
  readonly analysis: Analysis;
}

/** Reads and checks one file (`-` is standard input); `problem` where it cannot be read. */
export function analyse(
  path: string,
  io: Io,
  progress: Progress,
  overrides: Readonly<Record<string, number>> = {},
): Analysed | { readonly problem: string } {
  const read = io.readText(path);
  if ('problem' in read) return { problem: `${shownPath(path)} cannot be read: ${read.problem}.` };
  const request = { uri: uriOf(path, io), text: read.text, host: diskHost(io), options: defaultOptions, overrides };
  const steps = checkSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return { path: shownPath(path), text: read.text, analysis: step.value };
    progress.tick(`${shownPath(path)}: ${step.value}`);
  }
}
