/** Reads files for the server, of any scheme that the editor knows. */
import * as vscode from 'vscode';
import { type BaseLanguageClient, RequestType } from 'vscode-languageclient';
import {
  assets,
  type ListFilesAnswer,
  type ListFilesRequest,
  type ListFolderAnswer,
  type ListFolderRequest,
  fileMethods,
  type ReadAssetAnswer,
  type ReadAssetRequest,
  type ReadFileAnswer,
  type ReadFileRequest,
} from '../webview/protocol/files.ts';

export function answerFileRequests(client: BaseLanguageClient, extension: vscode.Uri): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(new RequestType<ReadFileRequest, ReadFileAnswer, void>(fileMethods.readFile), readFile),
    client.onRequest(new RequestType<ListFolderRequest, ListFolderAnswer, void>(fileMethods.listFolder), listFolder),
    client.onRequest(new RequestType<ListFilesRequest, ListFilesAnswer, void>(fileMethods.listFiles), listFiles),
    client.onRequest(
      new RequestType<ReadAssetRequest, ReadAssetAnswer, void>(fileMethods.readAsset),
      async ({ name }) => {
        if (!assets.includes(name)) return null;
        return { bytes: await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, 'dist', name)) };
      },
    ),
  );
}

async function readFile({ uri, limit }: ReadFileRequest): Promise<ReadFileAnswer> {
  const file = vscode.Uri.parse(uri);
  try {
    const { type, size } = await vscode.workspace.fs.stat(file);
    if ((type & vscode.FileType.Directory) !== 0) return { problem: 'folder' };
    if (size > limit) return { problem: 'too-large', size };
    const bytes = await vscode.workspace.fs.readFile(file);
    if (bytes.length > limit) return { problem: 'too-large', size: bytes.length };
    return textOf(bytes);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return { problem: 'not-found' };
    return { problem: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

/** A mark of the byte order stays, as whoever writes the text back would lose it. */
function textOf(bytes: Uint8Array): ReadFileAnswer {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: 'not-utf8' };
  }
}

async function listFolder({ uri }: ListFolderRequest): Promise<ListFolderAnswer> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.parse(uri));
    return entries.map(([name, type]) => ((type & vscode.FileType.Directory) === 0 ? name : `${name}/`));
  } catch {
    return [];
  }
}

async function listFiles({ uri, most }: ListFilesRequest): Promise<ListFilesAnswer> {
  const pattern = new vscode.RelativePattern(vscode.Uri.parse(uri), '**/*.pipe');
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git,out,dist}/**', most);
  return found.map((file) => file.toString());
}
