/** Path of a page of the documentation in the extension (`docs/…/name.md`), from the path of a link; undefined for any other. */
export const pagePath = (path: string): string | undefined =>
  /^\/(docs\/(?:[a-z0-9][\w-]*\/)*[a-z0-9][\w-]*\.md)$/i.exec(path)?.[1];
