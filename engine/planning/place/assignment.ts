/** Checks that every layer is in exactly one stage and that stages need only earlier ones. */
import type { Notes } from '../notes.ts';
import type { StageBlock } from '../../definitions/cut.ts';
import { type ModelDefinition, elementName, needsOf, numberOfFirst } from '../../definitions/model.ts';
import { list } from '../../basics/quantities.ts';

/** Stage of each element of the stages as written; `undefined` where the cut is wrong, which has been reported. */
export function assign(notes: Notes, model: ModelDefinition, stages: readonly StageBlock[]): Int32Array | undefined {
  const before = notes.report.errors();
  const stageOf = new Int32Array(model.elements).fill(-1);
  for (const [index, stage] of stages.entries()) {
    if (stage.elements.length === 0) notes.report.report('stage/empty', stage.at, { stage: stage.name });
    for (const element of stage.elements) {
      const other = stageOf[element];
      if (other < 0) stageOf[element] = index;
      else twice(notes, model, element, stages[other], stage);
    }
  }
  if (notes.report.errors() !== before) return undefined;
  unassigned(notes, model, stageOf, stages);
  if (notes.report.errors() !== before) return undefined;
  order(notes, model, stageOf, stages);
  return notes.report.errors() === before ? stageOf : undefined;
}

function twice(notes: Notes, model: ModelDefinition, element: number, first: StageBlock, second: StageBlock): void {
  notes.report.report(
    'stage/assigned-twice',
    second.at,
    {
      layer: elementName(model, element),
      stages: first === second ? [`"${first.name}" twice`] : [`"${first.name}"`, `"${second.name}"`],
    },
    { related: [{ place: notes.report.place(first.at), message: 'Here first.' }] },
  );
}

/** One finding for all of them, layers as ranges, at the stage that holds what comes before the first of them. */
function unassigned(notes: Notes, model: ModelDefinition, stageOf: Int32Array, stages: readonly StageBlock[]): void {
  const left: string[] = [];
  const layerAt = (element: number) => model.layers[model.layerOf[element]];
  for (let start = 0; start < model.elements;) {
    const layer = layerAt(start);
    const number = numberOfFirst(layer) - layer.first;
    let end = start;
    // Runs of a pattern are one array.
    while (end < model.elements && stageOf[end] < 0 && layerAt(end).name === layer.name) end += 1;
    if (end - start > 1) left.push(`${layer.name}[${start + number}..${end - 1 + number}]`);
    else if (end > start) left.push(elementName(model, start));
    start = Math.max(end, start + 1);
  }
  if (left.length === 0) return;
  const shown = left.length > 6 ? [...left.slice(0, 5), `${left.length - 5} more`] : left;
  const before = stageOf[stageOf.indexOf(-1) - 1] ?? 0;
  notes.report.report('stage/unassigned-layer', stages[before].at, { layers: shown });
}

function order(notes: Notes, model: ModelDefinition, stageOf: Int32Array, stages: readonly StageBlock[]): void {
  for (let element = 0; element < model.elements; element += 1) {
    for (const needed of needsOf(model, element)) {
      if (stageOf[needed] <= stageOf[element]) continue;
      const stage = stages[stageOf[element]];
      const later = stages[stageOf[needed]];
      notes.report.report(
        'stage/dependency-order',
        stage.at,
        { layer: elementName(model, element), stage: stage.name, needs: elementName(model, needed), later: later.name },
        {
          related: [
            { place: notes.report.place(later.at), message: `${list([`"${elementName(model, needed)}"`])} is here.` },
          ],
        },
      );
    }
  }
}
