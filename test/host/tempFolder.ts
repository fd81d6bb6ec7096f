import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TempFolder {
  readonly path: string;
  remove(): void;
}

/** A new folder in the system's folder for temporary files. */
export function tempFolder(prefix: string): TempFolder {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  return {
    path: folder,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
