/** Files of other formats that a file names, such as profiles: read through the host like imports, and watched like them. */
import { readOne, type FileImport } from './sourceFiles.ts';
import { resolvePath } from './sourceFiles.ts';
import type { EngineHost, EngineOptions, RunAnswer } from '../basics/host.ts';

/** A file that was asked for: its text, or why there is none. */
export type ForeignFile = {
  readonly uri: string;
} & (
  { readonly text: string } | { readonly problem: NonNullable<FileImport['problem']> } | { readonly tooLarge: number }
);

export interface ForeignFiles {
  /** The file at `path` as written in the file at `from`. Never throws. */
  read(path: string, from: string): ForeignFile;
  /** The recorded run at `path`. Undefined: the host reads no runs. Never throws. */
  run(path: string, from: string, ranks: readonly number[]): RunAnswer | undefined;
  /** Every uri that was asked for, there or not. */
  readonly uris: ReadonlySet<string>;
}

/** One for all files of a resolution. `tooLarge` is the characters of a file over `limits.fileSize`. */
export function foreignFiles(host: EngineHost, { limits }: EngineOptions): ForeignFiles {
  const uris = new Set<string>();
  return {
    uris,
    read(path, from) {
      const uri = resolvePath(path, from, host);
      uris.add(uri);
      const found = readOne(path, uri, host);
      if (!('text' in found)) return { uri, problem: found };
      return found.text.length > limits.fileSize ? { uri, tooLarge: found.text.length } : { uri, text: found.text };
    },
    run(path, from, ranks) {
      const uri = resolvePath(path, from, host);
      uris.add(uri);
      try {
        return host.run?.(uri, ranks);
      } catch {
        return { problem: 'it cannot be read' };
      }
    },
  };
}
