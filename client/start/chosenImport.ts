import * as vscode from 'vscode';
import { methods, type ImportAnswer, type ImportRequest } from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';

const decoder = new TextDecoder();
/** A larger file is no schedule that anyone wants in a text. */
const mostBytes = 32 * 2 ** 20;

/** Asks for a file of another program and reads it as `.pipe` text; undefined if there is none, and an error message says why. */
export async function chosenImport(
  requests: Requests,
  folder: vscode.Uri | undefined,
): Promise<{ readonly name: string; readonly pipe: string } | undefined> {
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: 'Import a schedule, profile or configuration',
      openLabel: 'Import',
      defaultUri: folder,
      filters: {
        'Schedules (CSV), profiles, configurations, scripts': ['csv', 'txt', 'json', 'yaml', 'yml', 'toml', 'py', 'sh'],
        'All files': ['*'],
      },
    })) ?? [];
  if (chosen === undefined) return undefined;
  const name = chosen.path.slice(chosen.path.lastIndexOf('/') + 1);
  const { size } = await vscode.workspace.fs.stat(chosen);
  if (size > mostBytes) {
    void vscode.window.showErrorMessage(`${name} was not imported: it has more than ${mostBytes / 2 ** 20} MiB.`);
    return undefined;
  }
  const asked: ImportRequest = {
    uri: chosen.toString(),
    text: decoder.decode(await vscode.workspace.fs.readFile(chosen)),
  };
  let answer = await requests.send<ImportAnswer>(methods.import, asked);
  if (answer !== undefined && answer !== null && 'choices' in answer && answer.choices !== undefined) {
    const config = await vscode.window.showQuickPick(answer.choices, {
      title: `Configurations of ${name}`,
      placeHolder: 'Which one?',
    });
    if (config === undefined) return undefined;
    answer = await requests.send<ImportAnswer>(methods.import, { ...asked, config } satisfies ImportRequest);
  }
  if (answer === undefined || answer === null) return undefined;
  if ('pipe' in answer) return { name, pipe: answer.pipe };
  void vscode.window.showErrorMessage(`${name} was not imported: ${answer.problem}`);
  return undefined;
}
