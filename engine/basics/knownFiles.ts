/** Files of a host as plain data, so that a thread can plan a file without reading any. */
import type { EngineHost } from './host.ts';

export interface KnownFiles {
  /** What the host answered, by uri, and by path and importing file. */
  readonly files: Readonly<Record<string, ReturnType<EngineHost['read']>>>;
  readonly paths: Readonly<Record<string, string>>;
}

/** A host that remembers what it answered. */
export function rememberingHost(host: EngineHost): EngineHost & KnownFiles {
  const files: Record<string, ReturnType<EngineHost['read']>> = {};
  const paths: Record<string, string> = {};
  return {
    files,
    paths,
    read: (uri) => (files[uri] ??= host.read(uri)),
    resolve: (path, from) => (paths[pathKey(path, from)] ??= host.resolve(path, from)),
  };
}

/** A host that has these files and no others. */
export const knownHost = ({ files, paths }: KnownFiles): EngineHost => ({
  read: (uri) => (Object.hasOwn(files, uri) ? files[uri] : { problem: 'not-found' }),
  resolve: (path, from) => {
    const key = pathKey(path, from);
    return Object.hasOwn(paths, key) ? paths[key] : path;
  },
});

const pathKey = (path: string, from: string): string => JSON.stringify([path, from]);
