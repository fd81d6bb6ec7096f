/** Starts with the first `.pipe` file or a preview that the editor restores. */
import * as vscode from 'vscode';
import { createServer, type MakeClient, type Server } from './languageClient.ts';
import { isServedHere } from './served.ts';
import { exportTarget, exportTimeline } from './exportTimeline.ts';
import { namedDocument } from './namedDocument.ts';
import { openLinks } from './openLinks.ts';
import { pipeDocument } from './pipeDocument.ts';
import { createServerNotices } from './serverNotices.ts';
import { createPreviews, type Previews } from './preview/panels.ts';
import { calibrate, type CalibrateKnown } from './runs/calibrate.ts';
import { createCalibratedDiff } from './runs/calibratedDiff.ts';
import type { RunFiles } from './runs/readRun.ts';
import { openDocumentation } from './start/documentation.ts';
import { openExample } from './start/examples.ts';
import { importNew } from './start/importNew.ts';
import { newFile } from './start/newFile.ts';
import { planModel } from './start/planModel.ts';
import { createStatusBar } from './statusBar.ts';

let server: Server | undefined;
let previews: Previews | undefined;

/** `makeClient`: of the language server, as this side of the editor runs it. */
export function activate(context: vscode.ExtensionContext, makeClient: MakeClient): void {
  const output = vscode.window.createOutputChannel('Pipewright', { log: true });
  const statusBar = createStatusBar();
  const notices = createServerNotices();
  const running = createServer(context, output, makeClient, (state) => {
    statusBar.show(state);
    notices.show(state);
    if (state.kind === 'running' || state.kind === 'stopped') previews?.serverChanged();
  });
  server = running;
  const diff = createCalibratedDiff();
  const calibrated = (uri: vscode.Uri, known: CalibrateKnown) => calibrate(running, uri, known, diff);
  previews = createPreviews(context, running, { output, calibrate: calibrated }, statusBar.previewed);
  const shown = previews;
  const openPreview =
    (another: boolean) =>
    (target?: unknown, pipeline?: unknown): void => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.open(uri, typeof pipeline === 'string' ? pipeline : undefined, another);
    };
  context.subscriptions.push(
    output,
    statusBar,
    diff,
    notices,
    running,
    shown,
    openLinks(context.extensionUri, shown.restore),
    vscode.commands.registerCommand('pipewright.openPreview', openPreview(false)),
    vscode.commands.registerCommand('pipewright.openAnotherPreview', openPreview(true)),
    vscode.commands.registerCommand('pipewright.compare', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.compare(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand('pipewright.comparePreview', (target?: unknown, other?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      return uri === undefined ? undefined : shown.compareWith(uri, otherOf(other));
    }),
    vscode.commands.registerCommand('pipewright.compareRun', (target?: unknown, run?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      return uri === undefined ? undefined : shown.compareRun(uri, runFiles(run)?.uris);
    }),
    vscode.commands.registerCommand('pipewright.calibrate', (target?: unknown, pipeline?: unknown, run?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      const named = typeof pipeline === 'string' ? pipeline : undefined;
      return uri === undefined ? undefined : calibrated(uri, { pipeline: named, files: runFiles(run) });
    }),
    vscode.commands.registerCommand('pipewright.acceptCalibration', (of?: unknown) => diff.accept(fileOf(of))),
    vscode.commands.registerCommand('pipewright.discardCalibration', (of?: unknown) => diff.discard(fileOf(of))),
    vscode.commands.registerCommand('pipewright.findPlan', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.findPlan(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand('pipewright.findOrder', (target?: unknown, pipeline?: unknown) => {
      const uri = targetOf(target) ?? shown.shownFile();
      if (uri !== undefined) shown.findOrder(uri, typeof pipeline === 'string' ? pipeline : undefined);
    }),
    vscode.commands.registerCommand(
      'pipewright.exportTimeline',
      async (target?: unknown, pipeline?: unknown, known?: unknown) => {
        const uri = targetOf(target) ?? shown.shownFile();
        const named = typeof pipeline === 'string' ? pipeline : undefined;
        if (uri !== undefined)
          await exportTimeline(
            { requests: running, draw: (drawing) => shown.draw(uri, drawing) },
            { uri: uri.toString(), pipeline: named },
            exportTarget(known),
          );
      },
    ),
    vscode.commands.registerCommand('pipewright.followActiveFile', () => shown.follow(true)),
    vscode.commands.registerCommand('pipewright.pinPreview', () => shown.follow(false)),
    vscode.commands.registerCommand('pipewright.newFile', () => newFile(context.extensionUri, running)),
    vscode.commands.registerCommand('pipewright.planModel', () => planModel(running)),
    vscode.commands.registerCommand('pipewright.import', () => importNew(running)),
    vscode.commands.registerCommand('pipewright.openDocumentation', () => openDocumentation(context)),
    vscode.commands.registerCommand('pipewright.openExample', () => openExample(context.extensionUri)),
    vscode.commands.registerCommand('pipewright.restartServer', () => running.restart()),
    vscode.commands.registerCommand('pipewright.showOutput', () => output.show(true)),
  );
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Another extension names a file; menus pass other things. */
const otherOf = (other: unknown): vscode.Uri | undefined =>
  other instanceof vscode.Uri || typeof other === 'string' ? targetOf(other) : undefined;

const fileOf = (of: unknown): vscode.Uri | undefined => (of instanceof vscode.Uri ? of : undefined);

/** A code action names the run that the file names, as text; another extension names files. */
function runFiles(run: unknown): RunFiles | undefined {
  if (Array.isArray(run)) {
    const uris = (run as readonly unknown[]).filter((each) => each instanceof vscode.Uri);
    return uris.length === 0 ? undefined : { uris };
  }
  if (typeof run !== 'object' || run === null || !('uris' in run) || !Array.isArray(run.uris)) return undefined;
  const texts = (run.uris as readonly unknown[]).filter((each) => typeof each === 'string');
  const ranks = 'ranks' in run && Array.isArray(run.ranks) ? (run.ranks as readonly unknown[]) : undefined;
  return {
    uris: texts.map((each) => vscode.Uri.parse(each)),
    ...('skip' in run && typeof run.skip === 'number' ? { skip: run.skip } : {}),
    ...(ranks === undefined ? {} : { ranks: ranks.filter((rank) => typeof rank === 'number') }),
  };
}

/** A code lens passes a string, menus a uri, the key and the palette nothing. */
function targetOf(target: unknown): vscode.Uri | undefined {
  // The menu of a preview's tab passes the address of its page.
  if (target instanceof vscode.Uri && isServedHere(target.scheme)) return target;
  if (typeof target === 'string') return namedDocument(target);
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && pipeDocument(document) ? document.uri : undefined;
}
