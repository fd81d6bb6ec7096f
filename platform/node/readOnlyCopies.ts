/** Read-only files of what comes with the product, for editors that cannot show documents of a server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReadOnlyCopies } from '../common/platform.ts';

/** They are in a new folder that no other user can write to, made when the first is asked for. */
export function createReadOnlyCopies(): ReadOnlyCopies {
  let folder: string | undefined;
  const written = new Map<string, string>();
  return {
    fileOf(name, text) {
      const known = written.get(name);
      if (known !== undefined) return known;
      folder ??= mkdtempSync(path.join(tmpdir(), 'pipewright-'));
      const file = path.join(folder, ...name.split('/'));
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: 0o444 });
      const address = pathToFileURL(file).href;
      written.set(name, address);
      return address;
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
