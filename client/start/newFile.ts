/** *New File…*: an example to change, a plan of a model, or an empty file. */
import * as vscode from 'vscode';
import type { Requests } from '../languageClient.ts';
import { exampleText } from './examples.ts';
import { openText } from './openText.ts';
import { planModel } from './planModel.ts';

interface Choice extends vscode.QuickPickItem {
  readonly open: () => Promise<unknown>;
}

/** Files of the folder `examples` that are good to begin with. */
const starts = [
  { file: 'quickstart', label: 'Quickstart', description: 'eight equal layers on four GPUs, 1F1B' },
  { file: 'llama3-70b', label: 'Llama 3 70B on 64 H100', description: 'interleaved, tensor and data ranks' },
  { file: 'mixture-of-experts', label: 'Mixture of experts', description: 'expert ranks over nodes' },
  { file: 'data-parallel', label: 'Data parallel', description: 'gradient exchange in buckets' },
  { file: 'custom-schedule', label: 'Your own schedule', description: 'rows and rules, with a test' },
];

export async function newFile(extension: vscode.Uri, requests: Requests): Promise<void> {
  const choices: readonly Choice[] = [
    {
      label: 'Plan a model on a cluster…',
      description: 'pick both; the file is written, and the fastest plan is searched',
      open: () => planModel(requests),
    },
    ...starts.map(({ file, label, description }) => ({
      ...{ label, description },
      open: async () => openText(await exampleText(extension, `${file}.pipe`)),
    })),
    { label: 'Empty file', description: 'its preview shows examples', open: () => openText('') },
  ];
  await (await vscode.window.showQuickPick(choices, { title: 'New pipeline schedule' }))?.open();
}
