/** Starts the playground: editor, server and preview of one file, all in the browser. */
import listedText from 'inline:listedExamples';
import { createPreviews } from '../../../client/preview/panels.ts';
import { addressOf, exampleAddress, readAddress } from './address.ts';
import { createExamples, firstExample, type Listed, loadScript } from './examples.ts';
import { createFiles, nameOf, serveFiles, uriOf } from './files.ts';
import { instead } from './instead.ts';
import { previewView } from './preview.ts';
import { createServer } from './server.ts';
import { createTexts } from './texts.ts';
import type { Finding } from './view/asks.ts';
import { copy, createDialogs, save } from './view/dialogs.ts';
import { createEditor } from './view/editor.ts';
import { exampleList } from './view/examples.ts';
import { createFindings } from './view/findings.ts';
import { offsetOf, positionOf, spanOf } from './view/places.ts';
import { createAsks } from './view/questions.ts';
import { setPage } from './vscode/page.ts';
import { Position, Selection, Uri } from './vscode/values.ts';
import { editorChanged, selectionChanged, showPreview } from './vscode/window.ts';
import { documentChanged, documentClosed } from './vscode/workspace.ts';
import type { TextEdit } from '../../../webview/protocol/requests.ts';

/** The script of all workers, which another file has put here as a function. */
declare const pipewrightWorkers: () => void;

const listed = JSON.parse(listedText) as Listed;

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
};

/** Threads are workers of the same address, so it stays. */
const workers = URL.createObjectURL(new Blob([`(${pipewrightWorkers.toString()})()`], { type: 'text/javascript' }));

const texts = createTexts();
const examples = createExamples(listed, () => loadScript('examples.js'));
const files = createFiles(examples);
const dialogs = createDialogs(part('notes'), part('chooser') as HTMLDialogElement, part('file') as HTMLInputElement);
const summary = part('problems').querySelector('summary');
let uri = uriOf(firstExample);
/** The example that is in the editor as it is. */
let example: string | undefined;

/** Once the server has said what it finds, or that it will not. */
let answer = (): void => undefined;
const answered = new Promise<void>((resolve) => {
  answer = resolve;
});
const server = createServer({
  texts,
  startWorker: () => new Worker(workers, { name: 'pipewright server' }),
  connected: (connection) => serveFiles(connection, files),
  changed(state) {
    if (state.kind === 'stopped') answer();
    if (state.kind === 'stopped') say(`The language server has stopped. ${state.reason} Load the page again.`, 'error');
    if (state.kind !== 'starting') previews.serverChanged();
  },
});
const say = (message: string, kind: 'note' | 'error' = 'note'): void => void dialogs.say(message, kind);
const asks = createAsks({ server, texts, uri: () => uri, view: () => view, say });

const view = createEditor(part('editor'), {
  asks,
  changed(text) {
    texts.set(uri, text);
    if (example !== undefined) {
      example = undefined;
      list.show(undefined);
    }
  },
  moved: () => selectionChanged(),
  format: () => void format(),
  share: () => void share(),
});
const findings = createFindings(view, part('findings'), asks);
const list = exampleList(part('examples') as HTMLSelectElement, listed, (name) => void open(name));

setPage({
  texts,
  files,
  shown: () => uri,
  selection() {
    const { doc, selection } = view.state;
    const { line, character } = positionOf(doc, selection.main.head);
    const at = new Position(line, character);
    return new Selection(at, at);
  },
  select(at, focus) {
    view.dispatch({ selection: { anchor: offsetOf(view.state.doc, at) }, scrollIntoView: true });
    if (focus) view.focus();
  },
  open: (wanted) => open(nameOf(wanted)),
  edit: (changes) => edit(changes),
  say: dialogs.say,
  choose: dialogs.choose,
  ask: dialogs.ask,
  save,
  copy,
});

function edit(changes: readonly TextEdit[]): void {
  const { doc } = view.state;
  view.dispatch({ changes: changes.map(({ range, newText }) => ({ ...spanOf(doc, range), insert: newText })) });
}

/** Another file in place of the text. */
function show(name: string, text: string): void {
  const before = uri;
  texts.close(before);
  uri = uriOf(name);
  texts.set(uri, text);
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  document.title = `${name} · Pipewright playground`;
  editorChanged();
}

async function open(name: string): Promise<void> {
  const text = await files.read(name);
  if (text === undefined) return say(`There is no file ${name} in the playground.`, 'error');
  show(name, text);
  const isExample = examples.names.includes(name);
  example = isExample ? name : undefined;
  list.show(example);
  history.replaceState(undefined, '', isExample ? exampleAddress(name) : ' ');
}

async function openAddress(): Promise<void> {
  const wanted = await readAddress(location.hash);
  if (wanted === undefined) return open(firstExample);
  if ('problem' in wanted) {
    say(wanted.problem, 'error');
    return open(firstExample);
  }
  if ('example' in wanted) return open(wanted.example.endsWith('.pipe') ? wanted.example : `${wanted.example}.pipe`);
  show(wanted.name, wanted.text);
  example = undefined;
  list.show(undefined);
  return undefined;
}

async function format(): Promise<void> {
  const version = texts.get(uri)?.version;
  const edits = await asks.of<readonly TextEdit[] | null>('textDocument/formatting', {
    options: { tabSize: 2, insertSpaces: true },
  });
  if (edits === undefined || edits === null || version !== texts.get(uri)?.version) return;
  edit(edits);
}

async function share(): Promise<void> {
  const hash = await addressOf({
    name: nameOf(uri).slice(nameOf(uri).lastIndexOf('/') + 1),
    text: view.state.doc.toString(),
  });
  history.replaceState(undefined, '', hash);
  await copy(location.href);
  say('Copied a link that holds the whole text.');
}

texts.follow({
  changed: ({ uri: of }) => documentChanged(of),
  closed: (of) => documentClosed(of),
});
server.client.onNotification('textDocument/publishDiagnostics', ({ uri: of, version, diagnostics }: Published) => {
  answer();
  if (of !== uri || (version !== undefined && version !== texts.get(uri)?.version)) return;
  findings.set(diagnostics);
  if (summary !== null) summary.textContent = findings.counts();
});
interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Finding[];
}

const quiet = { error: say, warn: () => undefined, info: () => undefined, debug: () => undefined };
const previews = createPreviews(
  { extensionUri: Uri.parse('playground:/'), extension: { id: 'playground' } } as never,
  server as never,
  { output: quiet as never, calibrate: () => Promise.resolve() },
  () => undefined,
);
showPreview(previewView(part('preview') as HTMLIFrameElement, instead({ say, share: () => void share() }), answered));

part('format').addEventListener('click', () => void format());
part('share').addEventListener('click', () => void share());
part('download').addEventListener('click', () =>
  save(nameOf(uri), new TextEncoder().encode(view.state.doc.toString())),
);
globalThis.addEventListener('hashchange', () => void openAddress());
void server.start();
void openAddress();
