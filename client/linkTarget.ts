/** Which file a link to a view leads to. */
import { type LinkedView, quoted, readLink } from './viewLink.ts';

/** What is asked of the editor's window. */
export interface LinkWindow<U> {
  readonly isTrusted: boolean;
  readonly folders: readonly { readonly name: string; readonly uri: U }[];
  join(folder: U, ...path: readonly string[]): U;
  isFile(uri: U): Promise<boolean>;
}

/**
 * The file in a folder of a trusted window, or why the link opens none, in a sentence. If the window is not trusted, nothing is looked
 * for in its folders.
 */
export async function linkTarget<U>(
  { path, query }: { readonly path: string; readonly query: string },
  window: LinkWindow<U>,
): Promise<{ readonly uri: U; readonly view: LinkedView } | { readonly problem: string }> {
  const link = readLink(path, query);
  if ('problem' in link) return link;
  const file = quoted(link.path);
  if (!window.isTrusted) return { problem: `Trust this workspace, then open the link to ${file} again.` };
  const uri = await inFolders(link.path, window);
  if (uri === undefined) return { problem: `Open the folder that has ${file}, then open the link again.` };
  return { uri, view: link.view };
}

/** The first file with this path in a folder. In a window with several folders, a path may begin with the name of one. */
async function inFolders<U>(path: string, { folders, join, isFile }: LinkWindow<U>): Promise<U | undefined> {
  const [first, ...rest] = path.split('/');
  const named = folders.filter(({ name }) => name === first && rest.length > 0);
  const places = [...named.map(({ uri }) => join(uri, ...rest)), ...folders.map(({ uri }) => join(uri, path))];
  for (const place of places) if (await isFile(place)) return place;
  return undefined;
}
