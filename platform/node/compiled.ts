/**
 * Keeps the compiled code of the bundles, so that the next start takes a third less: reading them is most of a start. The folder
 * belongs to the user. Node's own default is one that all users of a machine share, and whoever writes there runs code.
 */
import * as module from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/** Does nothing from source, before Node 22.8, and where the folder cannot be written. `NODE_DISABLE_COMPILE_CACHE=1` forbids it. */
export function keepCompiled(): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  if (import.meta.url.endsWith('.ts') || enableCompileCache === undefined) return;
  const folder = cacheFolder(process.env, process.platform, home());
  if (folder !== undefined) enableCompileCache(folder);
}

/** Empty for a user without one, as in a container that runs under a number. */
function home(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The folder in which programs of this user keep what they can make again; undefined without a home. */
export function cacheFolder(
  { XDG_CACHE_HOME, LOCALAPPDATA }: Readonly<Record<string, string | undefined>>,
  platform: string,
  home: string,
): string | undefined {
  const own: Readonly<Record<string, string | undefined>> = {
    win32: LOCALAPPDATA,
    darwin: path.join(home, 'Library', 'Caches'),
  };
  // The specification of XDG: an empty variable is as none, and a relative path is invalid.
  const folder = own[platform] ?? (XDG_CACHE_HOME || path.join(home, '.cache'));
  return path.isAbsolute(folder) ? path.join(folder, 'pipewright') : undefined;
}
