/** What the language server asks of a client that reads files for it. */

/** `pipewright/readFile`, server → client: the text of a file. `limit`: most bytes. */
export interface ReadFileRequest {
  readonly uri: string;
  readonly limit: number;
}
export type ReadFileAnswer =
  | { readonly text: string }
  | { readonly problem: 'not-found' | 'folder' | 'not-utf8' }
  | { readonly problem: 'too-large'; readonly size: number }
  | { readonly problem: 'failed'; readonly detail: string };

/** `pipewright/listFolder`, server → client: names in a folder; folders end with a slash. None where there is no such folder. */
export interface ListFolderRequest {
  readonly uri: string;
}
export type ListFolderAnswer = readonly string[];

/** `pipewright/listFiles`, server → client: uris of the `.pipe` files in a folder and below, at most `most`. */
export interface ListFilesRequest {
  readonly uri: string;
  readonly most: number;
}
export type ListFilesAnswer = readonly string[];

/** `pipewright/readAsset`, server → client: a file of `dist/`, for a server that has no disk. */
export interface ReadAssetRequest {
  readonly name: Asset;
}
export type ReadAssetAnswer = { readonly bytes: Uint8Array } | null;
export const assets = ['preview.js', 'preview.css'] as const;
export type Asset = (typeof assets)[number];

export const fileMethods = {
  readFile: 'pipewright/readFile',
  listFolder: 'pipewright/listFolder',
  listFiles: 'pipewright/listFiles',
  readAsset: 'pipewright/readAsset',
} as const;
