import { type Analysis, checkSteps } from '../engine/check.ts';
import { defaultOptions } from '../engine/host.ts';
import { diskHost, namedPath, shownPath, uriOf } from './host.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';
import { readOperand } from './readOperand.ts';

export interface Analysed {
  /** As data holds it. */
  readonly path: string;
  /** As people read it. */
  readonly name: string;
  readonly text: string;
  readonly analysis: Analysis;
}

/** Reads and checks one file (`-` is standard input), or one pipeline of it; `problem` where it cannot be read. */
export function analyse(
  path: string,
  io: Io,
  progress: Progress,
  overrides: Readonly<Record<string, number>> = {},
  only?: string,
): Analysed | { readonly problem: string } {
  const read = readOperand(path, io);
  if ('problem' in read) return read;
  const name = shownPath(path);
  const named = { uri: uriOf(path, io), text: read.text };
  const request = { ...named, host: diskHost(io), options: defaultOptions, overrides, only };
  const steps = checkSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return { path: namedPath(path), name, text: read.text, analysis: step.value };
    const what = typeof step.value === 'string' ? step.value : 'state' in step.value ? step.value.state : undefined;
    if (what !== undefined && what !== 'planning') progress.tick(`${name}: ${what}`);
  }
}
