/** `window`: the one editor, the one preview, and what is said or asked. */
import { uriOf } from '../files.ts';
import { documentOf, type TextDocument } from './documents.ts';
import { type Item, thePage } from './page.ts';
import { Disposable, event, type Range, type Selection, TabInputText, Uri, ViewColumn } from './values.ts';
import type { PreviewView } from './view.ts';

export interface TextEditor {
  readonly document: TextDocument;
  selection: Selection;
  readonly viewColumn: number;
  revealRange(range: Range): void;
}

interface ViewProvider {
  resolveWebviewView(view: PreviewView): void;
}

const selected = event<{ readonly textEditor: TextEditor; readonly selections: readonly Selection[] }>();
const activated = event<TextEditor | undefined>();
let provider: ViewProvider | undefined;

export const selectionChanged = (): void => {
  const textEditor = theEditor();
  selected.fire({ textEditor, selections: [textEditor.selection] });
};
export const editorChanged = (): void => activated.fire(theEditor());
/** Fills the place of the preview. */
export const showPreview = (view: PreviewView): void => provider?.resolveWebviewView(view);

const theEditor = (): TextEditor => ({
  document: documentOf(thePage().shown()),
  viewColumn: ViewColumn.One,
  get selection() {
    return thePage().selection();
  },
  set selection(next) {
    thePage().select(next.active, false);
  },
  revealRange: () => undefined,
});

const none = (): Disposable => new Disposable(() => undefined);
const plain = (message: string): string => message.replaceAll(/\$\(\w[\w-]*\) ?/g, '');
const labelOf = (item: Item | string): Item =>
  typeof item === 'string' ? { label: item } : { ...item, label: plain(item.label) };

export const window = {
  get activeTextEditor(): TextEditor {
    return theEditor();
  },
  get visibleTextEditors(): readonly TextEditor[] {
    return [theEditor()];
  },
  tabGroups: {
    get all() {
      return [{ viewColumn: ViewColumn.One, tabs: [{ input: new TabInputText(Uri.parse(thePage().shown())) }] }];
    },
    activeTabGroup: { viewColumn: ViewColumn.One },
  },
  onDidChangeTextEditorSelection: selected.on,
  onDidChangeActiveTextEditor: activated.on,
  registerWebviewViewProvider(_view: string, given: ViewProvider): Disposable {
    provider = given;
    return none();
  },
  registerWebviewPanelSerializer: none,
  createWebviewPanel(): never {
    throw new Error('The playground has one preview.');
  },
  async showTextDocument(of: TextDocument | Uri, options: { readonly preserveFocus?: boolean } = {}) {
    const uri = ('uri' in of ? of.uri : of).toString();
    if (uri !== thePage().shown()) await thePage().open(uri);
    if (options.preserveFocus !== true) thePage().select(thePage().selection().active, true);
    return theEditor();
  },
  setStatusBarMessage: (message: string): Disposable => {
    void thePage().say(plain(message), 'note');
    return none();
  },
  showInformationMessage: (message: string, ...actions: readonly string[]) => thePage().say(message, 'note', actions),
  showErrorMessage: (message: string, ...actions: readonly string[]) => thePage().say(message, 'error', actions),
  showWarningMessage: (message: string, ...actions: readonly string[]) => thePage().say(message, 'error', actions),
  async showQuickPick<T extends Item | string>(
    given: readonly T[] | Promise<readonly T[]>,
    { title = '' }: { readonly title?: string } = {},
  ): Promise<T | undefined> {
    const items = await given;
    const chosen = await thePage().choose(items.map(labelOf), title);
    return chosen === undefined ? undefined : items[chosen];
  },
  showInputBox: (): Promise<undefined> => Promise.resolve(undefined),
  async showOpenDialog({ filters = {} }: { readonly filters?: Readonly<Record<string, readonly string[]>> }) {
    const file = await thePage().ask(Object.values(filters).flat());
    if (file === undefined) return undefined;
    thePage().files.add(file.name, file.text);
    return [Uri.parse(uriOf(file.name))];
  },
  // The browser asks where a file goes, or keeps it with other downloads.
  showSaveDialog: ({ defaultUri }: { readonly defaultUri?: Uri }) => Promise.resolve(defaultUri),
  withProgress: <T>(_options: unknown, task: (progress: { report(): void }, token: undefined) => T): T =>
    task({ report: () => undefined }, undefined),
};
