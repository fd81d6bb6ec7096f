/** Writes a shorter order that was found into the file, as a schedule of rows. */
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { FixHint } from '../findings/finding.ts';
import { simulated } from './outcome.ts';
import type { Again, Edit, FixSteps } from './proposal.ts';
import { documentedStart, freeName, lineBreak, setKey } from './source.ts';
import { fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'order' }>;

export function* orderFixes(analysis: Analysis, { pipeline, text }: Hint, again: Again): FixSteps {
  const before = simulated(analysis, pipeline)?.run.report.iteration;
  const edits = orderEdits(analysis, pipeline, text);
  if (before === undefined || edits === undefined) return [];
  const candidate = { what: 'Keep this order', kind: 'order', edits };
  return yield* fixesAmong(
    analysis,
    { pipeline, emphasis: 'time', met: (_, { run }) => run.report.iteration < before },
    [candidate],
    again,
  );
}

/** The schedule in front of the pipeline, under a name that is free, and the pipeline with it. */
export function orderEdits(
  { syntax }: Pick<Analysis, 'syntax'>,
  pipeline: string,
  text: string,
): readonly (Edit | undefined)[] | undefined {
  const block = syntax.declarations.find(
    (node): node is BlockDeclaration =>
      node.kind === 'block' && node.keyword.text === 'pipeline' && node.name?.text === pipeline,
  );
  if (block?.body === undefined) return undefined;
  const name = freeName(syntax, `${pipeline}_order`);
  const end = lineBreak(syntax.text);
  const at = documentedStart(syntax.text, block);
  const renamed = text.replace(`schedule ${pipeline}_order {`, `schedule ${name} {`).trimEnd().replaceAll('\n', end);
  return [{ start: at, end: at, text: `${renamed}${end}${end}` }, setKey(syntax.text, block.body, 'schedule', name)];
}
