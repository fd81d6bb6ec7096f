/** Documents that the extension may open if their name comes from outside: a command's argument, or the state of a restored preview. */

/** Schemes of the documents that the language server is asked about wherever they lie. */
const documentSchemes: readonly string[] = ['file', 'untitled', 'vscode-vfs', 'vscode-userdata'];

/** Whether the language server is asked about documents of the scheme: also of other files, but not of earlier versions of them. */
export const isServed = (scheme: string, isOfFiles: (scheme: string) => boolean): boolean =>
  documentSchemes.includes(scheme) || (scheme !== 'git' && isOfFiles(scheme));

/** The parts of a uri that say what it leads to. */
export interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** Whether a preview may show a document under its file: of a workspace that is not trusted, only what its folders have. */
export const mayCompare = (
  { scheme }: Pick<UriParts, 'scheme'>,
  { isTrusted, inWorkspace }: { readonly isTrusted: boolean; readonly inWorkspace: boolean },
): boolean => inWorkspace || (isTrusted && documentSchemes.includes(scheme));

/**
 * Whether a preview of the document may open although the user has not chosen it in the editor. True for a `.pipe` file of a
 * workspace folder, and for any open document. A file on another machine (`file://server/…`) would be fetched over the network.
 */
export function mayPreview(
  uri: UriParts,
  around: {
    readonly isOpen: boolean;
    readonly isServed: boolean;
    readonly inWorkspace: boolean;
    readonly hasFolders: boolean;
  },
): boolean {
  if (!around.isServed) return false;
  if (around.isOpen) return true;
  if (uri.scheme === 'untitled' || !uri.path.endsWith('.pipe') || /\p{Cc}/u.test(uri.path)) return false;
  if (around.inWorkspace) return true;
  // Without a folder any file may be opened alone, and its preview comes back with it.
  return !around.hasFolders && uri.scheme === 'file' && uri.authority === '';
}
