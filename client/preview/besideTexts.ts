/** Plans what a preview shows under its file: the newest text of another file, or an earlier version of the same file. */
import * as vscode from 'vscode';
import type { BesideEntry } from '../../webview/protocol/messages.ts';
import { methods, type PlanAnswer, type PlanRequest } from '../../webview/protocol/requests.ts';
import { inPlaceOf } from './comparedPlan.ts';
import type { PreviewContext } from './context.ts';
import { committedText } from './git.ts';
import { opened } from './opened.ts';
import { titleOf } from './titles.ts';

export type Below = Omit<BesideEntry, 'pair'>;

/** Edits of the file while a version of it is planned: the plan is asked for again, so often. */
const mostTries = 5;

export function createBesideTexts(context: PreviewContext) {
  const plan = (request: PlanRequest) => context.requests.send<PlanAnswer>(methods.plan, request);

  /** The name of a file; with its folders if it is called as the file on show. */
  function besideTitle(uri: vscode.Uri): string {
    const own = context.uri();
    const isOther = own?.toString() !== uri.toString();
    return isOther && own !== undefined && titleOf(own) === titleOf(uri)
      ? vscode.workspace.asRelativePath(uri)
      : titleOf(uri);
  }

  return {
    /** `key`: of the plan that was found. */
    async newest({
      uri,
      pipeline,
    }: {
      readonly uri: vscode.Uri;
      readonly pipeline?: string;
    }): Promise<{ readonly below: Below; readonly key?: string }> {
      const title = besideTitle(uri);
      const of = { title, ...(pipeline === undefined ? {} : { pipeline }) };
      if ((await opened(uri)) === undefined) return { below: { ...of, problem: `${title} was renamed or deleted.` } };
      const answer = await plan({ uri: uri.toString() });
      if (answer === undefined || answer === null)
        return { below: { ...of, problem: 'The language server gives no answer.', broken: true } };
      return { below: { ...of, ...planOf(answer) }, key: answer.key };
    },
    async version({ commit, note }: { readonly commit: string; readonly note: string }): Promise<Below | undefined> {
      const uri = context.uri();
      const of = { title: `commit ${commit.slice(0, 7)}`, note };
      const document = uri === undefined ? undefined : await opened(uri);
      if (uri === undefined || document === undefined) return undefined;
      const other = await committedText(uri, commit);
      if ('problem' in other) return { ...of, problem: other.problem };
      for (let tries = 0; tries < mostTries; tries += 1) {
        const trial = inPlaceOf(document, other.text);
        const answer = await plan({ uri: uri.toString(), trial });
        if (answer === undefined || answer === null) break;
        if (document.version !== trial.version) continue;
        const { broken: _, ...shown } = planOf(answer);
        return { ...of, ...shown };
      }
      return { ...of, problem: 'The language server gave no answer.' };
    },
  };
}

function planOf({
  plan,
  problem,
  options,
  orders,
}: PlanAnswer): Pick<Below, 'plans' | 'options' | 'orders' | 'problem' | 'broken'> {
  if (plan === undefined) {
    const line = problem === undefined ? '' : `Line ${problem.range.start.line + 1}: `;
    return { problem: `${line}${problem?.message ?? 'It has no plan.'}`, broken: true };
  }
  return { plans: plan.pipelines, options, ...(orders === undefined ? {} : { orders }) };
}
