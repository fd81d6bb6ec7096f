import type { Block, Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../check.ts';
import type { FixHint } from '../findings/finding.ts';
import { share, time } from '../quantities.ts';
import { simulated } from './outcome.ts';
import { type Again, apply, type Edit, type Proposal } from './proposal.ts';
import { pipelineBody, setKey, valueOf } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'value' }>;

/** Another number of microbatches, stages, or an argument of the policy: offered where the pipeline then runs. */
export function valueFixes(analysis: Analysis, { pipeline, input, values }: Hint, again: Again): readonly Proposal[] {
  const body = pipelineBody(analysis.syntax, pipeline);
  if (body === undefined) return [];
  return values.flatMap((value, index) => {
    const edit = editFor(analysis, body, input, String(value));
    if (edit === undefined) return [];
    const after = simulated(again(apply(analysis.syntax.text, [edit])), pipeline);
    if (after === undefined) return [];
    const { iteration, bubble } = after.run.report;
    const effect = `iteration ${time(iteration)}, bubble ${share(bubble.makespan)}`;
    return [{ title: `Set ${input} to ${value} (${effect})`, edits: [edit], preferred: index === 0 }];
  });
}

function editFor(analysis: Analysis, body: Block, input: string, value: string): Edit | undefined {
  const { text } = analysis.syntax;
  if (input === 'microbatches') {
    const written = valueOf(body, 'microbatches');
    return written === undefined ? setKey(text, body, 'microbatches', value) : replaced(analysis, written, value);
  }
  if (input === 'stages') {
    const cut = valueOf(body, 'stages');
    const count = cut?.kind === 'call' && cut.callee.text === 'balance' ? cut.arguments[0]?.value : undefined;
    return count === undefined ? undefined : replaced(analysis, count, value);
  }
  if (input === 'devices') return undefined;
  return argument(analysis, valueOf(body, 'schedule'), input, value);
}

/** An argument of the policy; added where it is not written. */
function argument(analysis: Analysis, schedule: Expression | undefined, name: string, value: string): Edit | undefined {
  if (schedule?.kind === 'name') return { start: schedule.end, end: schedule.end, text: `(${name} = ${value})` };
  if (schedule?.kind !== 'call') return undefined;
  const written = schedule.arguments.find((candidate) => candidate.name?.text === name);
  if (written !== undefined) return replaced(analysis, written.value, value);
  const last = schedule.arguments.at(-1);
  // A place among unnamed arguments may already be this one's.
  if (last !== undefined && last.name === undefined) return undefined;
  const at = last?.end ?? schedule.end - 1;
  return { start: at, end: at, text: `${last === undefined ? '' : ', '}${name} = ${value}` };
}

/** A param of the file is set where it is declared, so that its slider stays. */
function replaced(analysis: Analysis, expression: Expression, value: string): Edit {
  if (expression.kind === 'name') {
    for (const declaration of analysis.syntax.declarations) {
      if (
        declaration.kind === 'param' &&
        declaration.name?.text === expression.text &&
        declaration.value !== undefined &&
        declaration.value.kind !== 'missing'
      ) {
        return { start: declaration.value.start, end: declaration.value.end, text: value };
      }
    }
  }
  return { start: expression.start, end: expression.end, text: value };
}
