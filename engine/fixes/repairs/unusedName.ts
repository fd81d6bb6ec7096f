import { table } from '../../basics/table.ts';
import { parametersOf } from '../../findings/finding.ts';
import { pipelineBody, setKey, valueOf } from '../source.ts';
import { withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** Without the declaration or the imported name; or with a pipeline that uses it. */
export const nameUnused: Repairer = { repairs };

const keyOfKind: Readonly<Record<string, string>> = table({ model: 'model', cluster: 'devices', schedule: 'schedule' });
const mostPipelines = 3;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const parameters = parametersOf(finding, 'name/unused');
  if (parameters === undefined) return;
  const { name, kind } = parameters;
  const { path } = siteAt(syntax, finding.place.start);
  const member = path.find((each) => each.kind === 'entry' && each.name?.start === finding.place.start);
  const around = path.find((each) => each.kind !== 'file');
  const node = member?.kind === 'entry' ? member : around;
  if (node?.kind === 'import' && node.names !== undefined && node.names.length > 1) {
    const index = node.names.findIndex(({ start }) => start === finding.place.start);
    yield { what: `Remove "${name}" from the import`, edits: [withoutItem(node.names, index)] };
  } else if (node !== undefined) {
    const what = node.kind === 'import' ? 'Remove the import' : `Remove ${kind} "${name}"`;
    yield { what, edits: [withoutNode(syntax, node)] };
  }
  const info = [...analysis.resolution.symbols.symbols.values()].find(
    (symbol) => symbol.name === name && symbol.container === undefined,
  );
  const key = keyOfKind[info?.kind ?? kind];
  if (key === undefined) return;
  for (const { plan } of analysis.pipelines.slice(0, mostPipelines)) {
    const body = pipelineBody(syntax, plan.name);
    if (body === undefined || valueOf(body, key) === undefined) continue;
    yield { what: `Use it in pipeline "${plan.name}"`, edits: [setKey(syntax.text, body, key, name)], last: true };
  }
}
