import type { Analysis } from '../flow/check.ts';
import type { FixHint } from '../findings/finding.ts';
import { share, time } from '../basics/quantities.ts';
import { simulated, tried } from './outcome.ts';
import type { Again, Proposal } from './proposal.ts';
import { pipelineBody, setKey, valueOf } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'transfer' }>;

/**
 * Issues sends and receives that wait for each other together. Offered if the pipeline then runs, and only the narrowest change.
 */
export function transferFixes(analysis: Analysis, { pipeline, batched }: Hint, again: Again): readonly Proposal[] {
  const body = pipelineBody(analysis.syntax, pipeline);
  if (body === undefined) return [];
  const written = valueOf(body, 'transfer');
  const kept = written?.kind === 'call' ? written.arguments.find(({ name }) => name?.text === 'reshard') : undefined;
  const reshard = kept === undefined ? '' : `, ${analysis.syntax.text.slice(kept.start, kept.end)}`;
  for (const words of batched) {
    const value = `rendezvous(batched = ${words}${reshard})`;
    const edit = setKey(analysis.syntax.text, body, 'transfer', value);
    const changed = edit === undefined ? undefined : tried(analysis, [edit], again);
    const after = changed === undefined ? undefined : simulated(changed, pipeline);
    if (edit === undefined || after === undefined) continue;
    const { iteration, bubble } = after.run.report;
    const effect = `iteration ${time(iteration, 4)}, bubble ${share(bubble.makespan)}`;
    return [{ title: `Set transfer to ${value} (${effect})`, edits: [edit], preferred: true }];
  }
  return [];
}
