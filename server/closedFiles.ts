/** Checks of files that are not open, each once for as long as nothing that it was made of changes. */
import type { CancellationToken } from 'vscode-languageserver';
import type { EngineOptions } from '../engine/basics/host.ts';
import type { Searches } from '../engine/basics/searches.ts';
import { type Analysis, checkSteps } from '../engine/flow/check.ts';
import { type Asked, isStill, recording } from './names/asked.ts';
import type { Answers } from './threads/answers.ts';
import type { Files, View } from './view.ts';
import { answered, inSlices } from './documents/answered.ts';

export interface ClosedFiles {
  /** Undefined for a file that cannot be read, or once cancelled. */
  view(uri: string, token: CancellationToken): Promise<View | undefined>;
  /** Forgets all other files. */
  keep(uris: ReadonlySet<string>): void;
}

interface Known {
  readonly view: View;
  readonly asked: Asked;
}

export function createClosedFiles(files: Files, answers: Answers, options: () => EngineOptions): ClosedFiles {
  const known = new Map<string, Known>();
  return {
    async view(uri, token) {
      const read = files.read(uri);
      if (!('text' in read)) return undefined;
      const { text } = read;
      const before = known.get(uri);
      const current = options();
      const isSame = before?.view.syntax.text === text && before.view.options === current;
      if (isSame && isStill(before.asked, files)) return before.view;
      const { host, asked } = recording(files);
      const check = (searches: Searches) =>
        inSlices(checkOnce({ uri, text, host, options: current, searches }), () => token.isCancellationRequested);
      const analysis = await answered(answers, uri, check, token);
      if (analysis === undefined) return undefined;
      const { syntax } = analysis;
      const view = { uri, version: 0, syntax, lines: files.linesIn(text), analysis, files, options: current };
      known.set(uri, { view, asked });
      return view;
    },
    keep(uris) {
      for (const uri of known.keys()) if (!uris.has(uri)) known.delete(uri);
    },
  };
}

/** To the first answers that are missing: what needs them is left out. */
function* checkOnce(request: Parameters<typeof checkSteps>[0]): Generator<void, Analysis, void> {
  for (const steps = checkSteps(request); ;) {
    const { value } = steps.next();
    if (typeof value !== 'string' && 'pipelines' in value) return value;
    yield;
  }
}
