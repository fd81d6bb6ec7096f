import { parametersOf } from '../../findings/finding.ts';
import { writtenLayers } from '../layers.ts';
import { entriesOf } from '../source.ts';
import { inserted, replaced, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';
import { inOrder, piece, stagesAround, withLayers, type WrittenStage } from './stageLayers.ts';

/** The layers in a stage that is there, in a new stage, or a balanced cut: the fastest first. */
export const stageUnassigned: Repairer = { repairs, ranked: 'figures' };

const mostStages = 12;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const named = parametersOf(finding, 'stage/unassigned-layer')?.layers ?? [];
  const stages = stagesAround(syntax, finding.place.start);
  const last = stages.at(-1);
  if (named.some((name) => name.endsWith(' more')) || last === undefined) return;
  const pieces = named.map(piece);
  const all = pieces.flat();
  const label = writtenLayers(all);
  for (const stage of near(stages, all)) {
    if (stage.layers === undefined) continue;
    const { layers } = stage;
    const orders = [inOrder([...layers, ...all]), inOrder([...all, ...layers])];
    for (const order of orders)
      yield { what: `Add ${label} to "${stage.name}"`, edits: [withLayers(syntax, stage, order)], group: stage.name };
  }
  // Each part to the stage with its neighbours.
  if (pieces.length > 1) yield spread(syntax, stages, pieces);
  yield alone(syntax, last, label);
  yield balanced(syntax, finding.place.start, stages);
}

/** Stages with layers of the same array first: they are neighbours. */
function near(stages: readonly WrittenStage[], layers: readonly string[]): readonly WrittenStage[] {
  const stems = new Set(layers.map((layer) => layer.replace(/\[\d+\]$/, '')));
  const shares = ({ layers: held = [] }: WrittenStage) =>
    held.some((layer) => stems.has(layer.replace(/\[\d+\]$/, '')));
  const [neighbours, others] = [stages.filter(shares), stages.filter((stage) => !shares(stage))];
  return [...neighbours, ...others].slice(0, mostStages);
}

function spread(
  syntax: Parameters<typeof withLayers>[0],
  stages: readonly WrittenStage[],
  pieces: readonly (readonly string[])[],
): Repair {
  const more = new Map<WrittenStage, string[]>();
  for (const part of pieces) {
    const [first] = part;
    const index = Number(/\[(\d+)\]$/.exec(first)?.[1] ?? -1);
    const stem = first.replace(/\[\d+\]$/, '');
    const before = stages.find(({ layers = [] }) => layers.includes(`${stem}[${index - 1}]`));
    const after = stages.find(({ layers = [] }) => layers.includes(`${stem}[${index + part.length}]`));
    const to = before ?? after ?? stages[stages.length - 1];
    more.set(to, [...(more.get(to) ?? to.layers ?? []), ...part]);
  }
  return {
    what: 'Add each to the stage of its neighbours',
    edits: [...more].map(([stage, layers]) => withLayers(syntax, stage, inOrder(layers))),
  };
}

/** A new stage behind the last one. */
function alone({ text, tokens }: Parameters<typeof withLayers>[0], { entry }: WrittenStage, label: string): Repair {
  const taken = new Set(tokens.map((token) => token.text));
  let number = 0;
  while (taken.has(`s${number}`)) number += 1;
  const lineStart = text.lastIndexOf('\n', entry.start) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, entry.start))?.[0] ?? '';
  const isOnLine = text.slice(lineStart, entry.start).trim() === '';
  const written = `stage s${number} { layers = ${label} }`;
  const line = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    what: `Add stage "s${number}" with ${label}`,
    edits: [inserted(entry.end, isOnLine ? `${line}${indent}${written}` : `  ${written}`)],
  };
}

/** `stages = balance(n)` in place of the blocks. What they say of devices and recomputation is lost, so it comes last. */
export function balanced(
  syntax: Parameters<typeof withLayers>[0],
  offset: number,
  stages: readonly WrittenStage[],
  count: number = stages.length,
): Repair | undefined {
  const { declaration } = siteAt(syntax, offset);
  const [first, ...others] = stages;
  if (declaration?.body === undefined || first === undefined || count < 1) return undefined;
  if (entriesOf(declaration.body, 'stages').length > 0) return undefined;
  const plain = stages.every(({ entry }) =>
    entry.body?.entries.every((item) => item.kind === 'entry' && item.key.text === 'layers'),
  );
  if (!plain) return undefined;
  return {
    what: `Use stages = balance(${count})`,
    edits: [
      replaced(first.entry, `stages = balance(${count})`),
      ...others.map(({ entry }) => withoutNode(syntax, entry)),
    ],
    last: true,
  };
}
