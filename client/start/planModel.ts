/** *Plan a Model on a Cluster…*: a few picks write a file, and the search for its fastest plan starts. */
import * as vscode from 'vscode';
import {
  methods,
  type NewPlanAnswer,
  type NewPlanChoices,
  type NewPlanRequest,
} from '../../webview/protocol/requests.ts';
import type { Requests } from '../languageClient.ts';
import { openText } from './openText.ts';

/** Tokens of an iteration that large language models are trained with. */
const batchTokens = 4e6;
const mostNodes = 4096;
/** A pick has this many devices; beyond it one writes the number. */
const usualNodes = [1, 2, 4, 8, 16, 32, 64, 128];

const engines = [
  { label: 'megatron', description: 'Megatron-LM' },
  { label: 'torchtitan', description: 'torchtitan' },
  { label: 'pytorch', description: 'torch.distributed.pipelining' },
  { label: 'deepspeed', description: 'DeepSpeed' },
  { label: 'any', description: 'no engine in particular' },
];

export async function planModel(requests: Requests): Promise<void> {
  const choices = await requests.send<NewPlanChoices | null>(methods.newPlanChoices, {});
  if (choices === undefined || choices === null) return;
  const model = await pick('Model', choices.models);
  if (model === undefined) return;
  const cluster = await pick('Cluster', choices.clusters);
  if (cluster === undefined) return;
  const sized = choices.clusters.find(({ name }) => name === cluster)?.sized === true;
  const nodes = sized ? await pickNodes() : undefined;
  if (sized && nodes === undefined) return;
  const engine = await vscode.window.showQuickPick(engines, { title: 'Training engine' });
  if (engine === undefined) return;
  const asked: NewPlanRequest = {
    ...{ model, cluster, batch: { tokens: batchTokens } },
    ...(nodes === undefined ? {} : { nodes }),
    ...(engine.label === 'any' ? {} : { engine: engine.label }),
  };
  const answer = await requests.send<NewPlanAnswer | null>(methods.newPlan, asked);
  if (answer === undefined || answer === null) return;
  if ('problem' in answer) {
    void vscode.window.showErrorMessage(`${model} cannot be planned on ${cluster}: ${answer.problem}`);
    return;
  }
  const uri = await openText(answer.pipe);
  await vscode.commands.executeCommand('pipewright.findPlan', uri);
}

async function pick(title: string, choices: NewPlanChoices['models']): Promise<string | undefined> {
  const items = choices.map(({ name, about }) => ({ label: name, description: about }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.label;
}

async function pickNodes(): Promise<number | undefined> {
  const other = 'another number…';
  const title = 'Nodes of the cluster';
  const chosen = await vscode.window.showQuickPick([...usualNodes.map(String), other], { title });
  if (chosen !== other) return chosen === undefined ? undefined : Number(chosen);
  const written = await vscode.window.showInputBox({
    title,
    validateInput: (text) =>
      /^[1-9]\d*$/.test(text) && Number(text) <= mostNodes ? undefined : `A whole number from 1 to ${mostNodes}.`,
  });
  return written === undefined ? undefined : Number(written);
}
