import { parametersOf } from '../../findings/finding.ts';
import { writtenLayers } from '../layers.ts';
import type { Edit } from '../proposal.ts';
import { withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { stagesAround, withLayers, type WrittenStage } from './stageLayers.ts';
import { balanced } from './stageUnassigned.ts';

/** Half of a neighbour's layers, a balanced cut, or without the stage. */
export const stageEmpty: Repairer = { repairs, ranked: 'figures' };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  if (parametersOf(finding, 'stage/empty') === undefined) return;
  const stages = stagesAround(syntax, finding.place.start);
  const at = stages.findIndex(({ entry }) => entry.name?.start === finding.place.start);
  const empty = stages[at];
  if (empty === undefined) return;
  for (const [neighbour, side] of [
    [stages[at - 1], 1],
    [stages[at + 1], -1],
  ] as const) {
    const held = neighbour?.layers ?? [];
    if (neighbour === undefined || held.length < 2) continue;
    const half = held.length >> 1;
    const [moved, left] =
      side > 0 ? [held.slice(-half), held.slice(0, -half)] : [held.slice(0, half), held.slice(half)];
    yield {
      what: `Move ${writtenLayers(moved)} from "${neighbour.name}" to "${empty.name}"`,
      edits: [withLayers(syntax, neighbour, left), withLayers(syntax, empty, moved)],
    };
  }
  yield evenly(syntax, stages);
  yield { what: `Remove stage "${empty.name}"`, edits: [withoutNode(syntax, empty.entry)] };
  yield balanced(syntax, finding.place.start, stages);
}

/** All layers in their order, about as many in each stage. */
function evenly(syntax: Parameters<typeof withLayers>[0], stages: readonly WrittenStage[]): Repair | undefined {
  const all = stages.flatMap(({ layers }) => layers ?? []);
  if (stages.some(({ layers }) => layers === undefined) || all.length < stages.length) return undefined;
  const share = (index: number): number => Math.floor((all.length * index) / stages.length);
  const edits: (Edit | undefined)[] = [];
  for (const [index, stage] of stages.entries()) {
    const layers = all.slice(share(index), share(index + 1));
    if (writtenLayers(layers) !== writtenLayers(stage.layers ?? [])) edits.push(withLayers(syntax, stage, layers));
  }
  return { what: 'Spread the layers evenly', edits };
}
