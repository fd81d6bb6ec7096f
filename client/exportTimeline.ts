/** Saves a simulated pipeline as a figure or a trace. The server writes it; the user says what and where. */
import * as vscode from 'vscode';
import { fromBase64 } from '../platform/common/base64.ts';
import { type Drawing, methods, type ExportAnswer, type ExportRequest } from '../webview/protocol/requests.ts';
import { exportName } from './exportName.ts';
import type { Requests } from './languageClient.ts';

type Choice = Pick<ExportRequest, 'format' | 'width' | 'memory' | 'scale' | 'seconds'>;

/** What and where, for other extensions: nothing is asked then. */
interface ExportTarget extends Choice {
  readonly target: vscode.Uri;
}

const choices: readonly (vscode.QuickPickItem & { readonly choice: Choice })[] = [
  { label: 'SVG, 3.4 in', description: 'one column of a paper', choice: { format: 'svg', width: '3.4in' } },
  { label: 'SVG, 7 in', description: 'two columns', choice: { format: 'svg', width: '7in' } },
  {
    label: 'SVG, 7 in, with memory',
    description: 'and its chart',
    choice: { format: 'svg', width: '7in', memory: true },
  },
  { label: 'PNG, 7 in', description: '384 dpi', choice: { format: 'png', width: '7in', scale: 4 } },
  {
    label: 'PNG, 7 in, with memory',
    description: '384 dpi',
    choice: { format: 'png', width: '7in', memory: true, scale: 4 },
  },
  {
    label: 'Film, 7 in, with memory',
    description: 'animated SVG for slides and READMEs',
    choice: { format: 'film', width: '7in' },
  },
  { label: 'HTML page', description: 'interactive, without editor and network', choice: { format: 'html' } },
  {
    label: 'Figures as Markdown',
    description: 'a table, copied to the clipboard',
    choice: { format: 'markdown' },
  },
  { label: 'Trace', description: 'JSON for ui.perfetto.dev and chrome://tracing', choice: { format: 'trace' } },
  {
    label: 'PyTorch program',
    description: 'runs the schedule, and compares it with the unpipelined model',
    choice: { format: 'torch-script' },
  },
  {
    label: 'PyTorch schedule table',
    description: 'CSV for torch.distributed.pipelining and torchtitan',
    choice: { format: 'torch-csv' },
  },
  {
    label: 'torchtitan configuration',
    description: 'a Python function, with the schedule table in it',
    choice: { format: 'torchtitan' },
  },
  {
    label: 'DeepSpeed program',
    description: 'configuration and PipelineModule',
    choice: { format: 'deepspeed' },
  },
  { label: 'Megatron-LM script', description: 'a launch script with all arguments', choice: { format: 'megatron' } },
];

interface ExportHost {
  readonly requests: Requests;
  /** The PNG of a picture in base64, of a server that cannot draw it; undefined if nothing here can. */
  draw(drawing: Drawing): Promise<string | undefined>;
}

export async function exportTimeline(
  { requests, draw }: ExportHost,
  asked: Pick<ExportRequest, 'uri' | 'overrides' | 'pipeline' | 'state' | 'seconds'>,
  known?: ExportTarget,
): Promise<void> {
  const choice = known === undefined ? await chosen() : choiceOf(known);
  if (choice === undefined) return;
  const written = await request(requests, { ...asked, ...choice });
  const answer = written === undefined ? undefined : await drawn(written, draw);
  if (answer === undefined) return;
  if (choice.format === 'markdown' && known === undefined && 'text' in answer) {
    await vscode.env.clipboard.writeText(answer.text);
    void vscode.window.setStatusBarMessage(`$(check) Copied the figures of ${answer.pipeline}`, 5000);
    return;
  }
  const target = known?.target ?? (await asksTarget(asked.uri, answer.pipeline, choice.format));
  if (target === undefined) return;
  const content = 'text' in answer ? new TextEncoder().encode(answer.text) : fromBase64(answer.base64);
  try {
    await vscode.workspace.fs.writeFile(target, content);
    const name = target.path.slice(target.path.lastIndexOf('/') + 1);
    void vscode.window.setStatusBarMessage(`$(check) Exported ${name}`, 5000);
    if (choice.format !== 'png') void tellLeftOut(name, answer.notes ?? []);
    else if (answer.notes !== undefined)
      void vscode.window.showInformationMessage(`Exported ${name}. ${answer.notes.join(' ')}`);
  } catch (error) {
    void vscode.window.showErrorMessage(
      `${target.fsPath} was not written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const showLeftOut = 'Show';

/** What a program for another engine cannot carry is shown to who asks for it. */
async function tellLeftOut(name: string, notes: readonly string[]): Promise<void> {
  if (notes.length === 0) return;
  const told = await vscode.window.showInformationMessage(
    `Exported ${name}. It does not say everything that the pipeline says.`,
    showLeftOut,
  );
  if (told !== showLeftOut) return;
  const content = `What ${name} does not say:\n\n${notes.map((note) => `- ${note}\n`).join('')}`;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content }));
}

/** From the third argument of the command; undefined where it is none, so that the user is asked. */
export function exportTarget(known: unknown): ExportTarget | undefined {
  if (typeof known !== 'object' || known === null || !('format' in known) || !('target' in known)) return undefined;
  const { target } = known;
  const choice = choices.find((candidate) => candidate.choice.format === known.format)?.choice;
  if (choice === undefined || !(target instanceof vscode.Uri)) return undefined;
  const narrow = 'width' in known && known.width === '3.4in';
  const width = choice.width === undefined ? {} : { width: narrow ? ('3.4in' as const) : ('7in' as const) };
  const seconds = 'seconds' in known && typeof known.seconds === 'number' ? { seconds: known.seconds } : {};
  return { ...choice, ...width, ...seconds, memory: 'memory' in known && known.memory === true, target };
}

const choiceOf = ({ format, width, memory, scale, seconds }: ExportTarget): Choice => ({
  format,
  width,
  memory,
  scale,
  ...(seconds === undefined ? {} : { seconds }),
});

async function chosen(): Promise<Choice | undefined> {
  const picked = await vscode.window.showQuickPick(choices, { title: 'Export Timeline', placeHolder: 'Format' });
  return picked?.choice;
}

function asksTarget(uri: string, pipeline: string, format: Choice['format']): Thenable<vscode.Uri | undefined> {
  const source = vscode.Uri.parse(uri);
  return vscode.window.showSaveDialog({
    title: 'Export Timeline',
    defaultUri: vscode.Uri.joinPath(source, '..', exportName(source.path, pipeline, format)),
    filters: filters[format],
  });
}

const filters: Readonly<Record<Choice['format'], Readonly<Record<string, string[]>>>> = {
  svg: { SVG: ['svg'] },
  film: { SVG: ['svg'] },
  png: { PNG: ['png'] },
  html: { HTML: ['html'] },
  trace: { JSON: ['json'] },
  markdown: { Markdown: ['md'] },
  'torch-csv': { CSV: ['csv'] },
  'torch-script': { Python: ['py'] },
  torchtitan: { Python: ['py'] },
  deepspeed: { Python: ['py'] },
  megatron: { 'Shell script': ['sh'] },
};

type Written = Exclude<ExportAnswer, { readonly problem: string }>;
type Whole = Exclude<Written, { readonly drawing: Drawing }>;

/** Undefined where nothing can draw it: a message says so. */
async function drawn(written: Written, draw: ExportHost['draw']): Promise<Whole | undefined> {
  if (!('drawing' in written)) return written;
  const base64 = await draw(written.drawing);
  if (base64 !== undefined) return { pipeline: written.pipeline, base64 };
  void vscode.window.showErrorMessage('The browser did not draw the PNG. Export the timeline as SVG.');
  return undefined;
}

/** Undefined where there is nothing to save: a message says why, or the user has cancelled. */
async function request(requests: Requests, asked: ExportRequest): Promise<Written | undefined> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: 'Exporting the timeline',
    cancellable: true,
  };
  const answer = await vscode.window.withProgress(progress, (_, token) =>
    requests.send<ExportAnswer | null>(methods.export, asked, token),
  );
  if (answer === undefined || answer === null) return undefined;
  if (!('problem' in answer)) return answer;
  if (answer.pipelines === undefined) {
    void vscode.window.showErrorMessage(answer.problem);
    return undefined;
  }
  const pipeline = await vscode.window.showQuickPick([...answer.pipelines], {
    title: 'Export Timeline',
    placeHolder: 'Pipeline',
  });
  return pipeline === undefined ? undefined : request(requests, { ...asked, pipeline });
}
