import type { Subject } from '../../engine/fixes/candidates.ts';
import { policyCandidates } from '../../engine/fixes/policies.ts';
import type { Edit } from '../../engine/fixes/proposal.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import type { CandidatesAnswer, CandidatesRequest } from '../../webview/protocol/requests.ts';
import { rangeIn, type View } from '../view.ts';

/** Schedules that are worth a comparison. */
const most = 40;

/** Other schedules that a pipeline can take, with the edits that write them. Nothing is simulated: whoever asks does that. */
export function candidates(view: View, { pipeline }: CandidatesRequest): CandidatesAnswer {
  const { version, analysis, syntax } = view;
  const plan = analysis.resolution.plan.pipelines.find(({ name }) => name === pipeline);
  const body = pipelineBody(syntax, pipeline);
  if (plan === undefined || body === undefined) return { version, candidates: [] };
  const subject: Pick<Subject, 'analysis' | 'plan' | 'body'> = { analysis, plan, body };
  const found: CandidatesAnswer['candidates'][number][] = [];
  for (const candidate of policyCandidates(subject, 'time')) {
    if (found.length === most) break;
    const edits = candidate?.edits.filter((edit): edit is Edit => edit !== undefined) ?? [];
    if (candidate === undefined || edits.length < candidate.edits.length) continue;
    const written = edits.map((edit) => ({ range: rangeIn(view, edit), newText: edit.text }));
    found.push({ schedule: edits[0].text, edits: written });
  }
  return { version, candidates: found };
}
