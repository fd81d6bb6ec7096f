/** `workspace`, `commands`, `env`, `extensions`: files in memory, settings of this visit, and nothing else. */
import { nameOf, uriOf } from '../files.ts';
import { documentOf, type TextDocument } from './documents.ts';
import { thePage } from './page.ts';
import { Disposable, event, FileSystemError, FileType, Uri, type WorkspaceEdit } from './values.ts';

const textChanged = event<{ readonly document: TextDocument }>();
const textClosed = event<TextDocument>();
const settingsChanged = event<{ affectsConfiguration(section: string): boolean }>();
const settings = new Map<string, unknown>();

export const documentChanged = (uri: string): void => textChanged.fire({ document: documentOf(uri) });
export const documentClosed = (uri: string): void => textClosed.fire(documentOf(uri));

const none = (): Disposable => new Disposable(() => undefined);

async function textOf(uri: Uri): Promise<string> {
  const text = await thePage().files.read(nameOf(uri.toString()));
  if (text === undefined) throw new FileSystemError(`There is no ${nameOf(uri.toString())} in the playground.`);
  return text;
}

export const workspace = {
  isTrusted: true,
  workspaceFolders: undefined,
  get textDocuments(): readonly TextDocument[] {
    return thePage()
      .texts.all()
      .map(({ uri }) => documentOf(uri));
  },
  getWorkspaceFolder: () => undefined,
  asRelativePath: (uri: Uri) => nameOf(uri.toString()),
  findFiles: async () =>
    thePage()
      .files.all()
      .filter((name) => name.endsWith('.pipe'))
      .map((name) => Uri.parse(uriOf(name))),
  async openTextDocument(of: Uri | { readonly content: string }): Promise<TextDocument> {
    if ('content' in of) {
      const uri = uriOf('notes.txt');
      thePage().files.add('notes.txt', of.content);
      thePage().texts.set(uri, of.content);
      return documentOf(uri);
    }
    const uri = of.toString();
    if (thePage().texts.get(uri) === undefined) thePage().texts.set(uri, await textOf(of));
    return documentOf(uri);
  },
  applyEdit({ edits }: WorkspaceEdit): Promise<boolean> {
    const shown = thePage().shown();
    if (edits.some(({ uri }) => uri.toString() !== shown)) return Promise.resolve(false);
    thePage().edit(edits);
    return Promise.resolve(true);
  },
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise: unknown) => settings.get(`${section}.${name}`) ?? otherwise,
    inspect: () => undefined,
    update(name: string, value: unknown): Promise<void> {
      settings.set(`${section}.${name}`, value);
      settingsChanged.fire({ affectsConfiguration: (asked) => asked === section });
      return Promise.resolve();
    },
  }),
  onDidChangeTextDocument: textChanged.on,
  onDidCloseTextDocument: textClosed.on,
  onDidChangeConfiguration: settingsChanged.on,
  onDidRenameFiles: none,
  createFileSystemWatcher: () => ({ onDidCreate: none, onDidDelete: none, dispose: () => undefined }),
  fs: {
    isWritableFileSystem: () => true,
    readFile: async (uri: Uri) => new TextEncoder().encode(await textOf(uri)),
    readDirectory(uri: Uri): Promise<(readonly [string, number])[]> {
      const names = thePage().files.list(uri.toString());
      return Promise.resolve(
        names.map((name) => [name, name.endsWith('/') ? FileType.Directory : FileType.File] as const),
      );
    },
    stat: async (uri: Uri) => ({ type: FileType.File, size: (await textOf(uri)).length }),
    writeFile(uri: Uri, bytes: Uint8Array): Promise<void> {
      thePage().save(nameOf(uri.toString()), bytes);
      return Promise.resolve();
    },
  },
};

export const commands = {
  // Commands of the editor: the keys of a preview's menus, and its pages.
  executeCommand: (): Promise<undefined> => Promise.resolve(undefined),
};

export const env = {
  uriScheme: 'vscode',
  clipboard: { writeText: (text: string) => thePage().copy(text) },
};

export const extensions = { getExtension: () => undefined };
