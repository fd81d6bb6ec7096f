import { table } from '../../basics/table.ts';
import type { Entry } from '../../../grammar/syntax.ts';
import type { Analysis } from '../../flow/check.ts';
import { parametersOf } from '../../findings/finding.ts';
import { withArguments } from '../callArguments.ts';
import { ranksForIdle } from '../idleDevices.ts';
import { entriesOf, pipelineBody, setKey } from '../source.ts';
import { replaced, withoutNode } from './edits.ts';
import { withoutIdle } from './withoutIdle.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { percent } from './range.ts';
import { siteAt } from './site.ts';

/** Without the key; or without what overrides it. */
export const keyNotApplicable: Repairer = { repairs };

/** Keys of the same block that override one: it applies without them. */
const overriding: Readonly<Record<string, readonly string[]>> = table({
  stages: ['stage'],
  backward: ['backward_input', 'backward_weight', 'row', 'shape'],
  row: ['order'],
  in_flight: ['row'],
  forward: ['shape'],
  backward_input: ['shape'],
  backward_weight: ['shape'],
  weights: ['shape'],
  activation: ['shape'],
  output: ['shape'],
  workspace: ['shape'],
});

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  if (finding.hint?.kind === 'value' && finding.hint.input === 'recompute') {
    const body = pipelineBody(syntax, finding.hint.pipeline);
    if (body === undefined) return;
    yield { what: 'Recompute every stage', edits: [setKey(syntax.text, body, 'recompute', 'full')] };
    return;
  }
  if (finding.hint?.kind === 'insert') {
    yield percent(syntax, finding.place, finding.hint.text);
    return;
  }
  if (finding.hint?.kind === 'spelling') {
    for (const text of finding.hint.suggestions)
      yield { what: `Change to "${text}"`, edits: [replaced(finding.place, text)] };
    return;
  }
  const { path, entry, within } = siteAt(syntax, finding.place.start);
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind === 'call' && call.start < finding.place.start) {
    const at = call.arguments.findIndex(({ start, end }) => start <= finding.place.start && finding.place.end <= end);
    const name = call.arguments[at]?.name?.text ?? parametersOf(finding, 'key/not-applicable')?.key ?? '';
    // Layers start early only if iterations have no barrier between them.
    if (name === 'early_start' && parametersOf(finding, 'key/not-applicable')?.reason.includes('`barrier = false`'))
      yield {
        what: 'Write barrier = false',
        edits: [withArguments(syntax.text, call, { barrier: 'false' }, (argument) => argument.name?.text)],
      };
    if (name === 'shard') yield moreRanks(analysis, finding.place.start);
    yield { what: `Remove "${name}"`, edits: [withoutIdle(syntax, finding.place)] };
    return;
  }
  if (entry === undefined || within === undefined) return;
  const key = entry.key.text;
  // A table that fills idle time moves operations of all devices.
  if (key === 'row' && parametersOf(finding, 'key/not-applicable')?.reason.includes('`fill = false`') === true)
    yield { what: 'Write fill = false', edits: [setKey(syntax.text, within, 'fill', 'false')] };
  const label = entry.name === undefined ? key : `${key} ${entry.name.text}`;
  yield { what: `Remove "${label}"`, edits: [withoutIdle(syntax, finding.place)] };
  const others: readonly Entry[] = (overriding[key] ?? []).flatMap((name) => entriesOf(within, name));
  if (others.length === 0) return;
  const names = [...new Set(others.map((other) => `"${other.key.text}"`))].join(' and ');
  yield {
    what: `Remove ${names}, so that "${key}" applies`,
    edits: others.map((other) => withoutNode(syntax, other)),
    last: true,
  };
}

/** Data ranks that share the state, where devices are idle. */
function moreRanks(analysis: Analysis, offset: number): Repair | undefined {
  const { within, declaration } = siteAt(analysis.syntax, offset);
  const ranks = declaration?.name === undefined ? undefined : ranksForIdle(analysis, declaration.name.text);
  if (within === undefined || ranks === undefined) return undefined;
  return {
    what: `Use ${ranks} data ranks`,
    edits: [setKey(analysis.syntax.text, within, 'data', String(ranks))],
  };
}
