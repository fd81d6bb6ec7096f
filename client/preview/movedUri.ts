/** The part of an editor's uri that renaming needs. */
interface Uri<U> {
  readonly path: string;
  with(change: { readonly path: string }): U;
  toString(): string;
}

/** Name of `uri` after `from`, a file or a folder around it, was renamed to `to`; undefined if it was neither. Pure. */
export function movedUri<U extends Uri<U>>(uri: U, from: U, to: U): U | undefined {
  if (uri.toString() === from.toString()) return to;
  const folder = withSlash(from.path);
  const sameRoot = uri.with({ path: from.path }).toString() === from.toString();
  return sameRoot && uri.path.startsWith(folder)
    ? to.with({ path: withSlash(to.path) + uri.path.slice(folder.length) })
    : undefined;
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
