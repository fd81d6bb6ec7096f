import { parametersOf } from '../../findings/finding.ts';
import { replaced } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { inOrder, stagesAround, withLayers } from './stageLayers.ts';
import { balanced } from './stageUnassigned.ts';

/** The two stages exchanged, or the layer moved to where it can be computed. */
export const stageOrder: Repairer = { repairs, ranked: 'figures' };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const { text } = syntax;
  const parameters = parametersOf(finding, 'stage/dependency-order');
  if (parameters === undefined) return;
  const { layer, needs } = parameters;
  const stages = stagesAround(syntax, finding.place.start);
  const early = stages.find(({ entry }) => entry.name?.start === finding.place.start);
  const late = stages.find(({ name }) => name === parameters.later);
  if (early === undefined || late === undefined) return;
  const [a, b] = [early.entry, late.entry];
  yield {
    what: `Exchange stages "${early.name}" and "${late.name}"`,
    edits: [replaced(a, text.slice(b.start, b.end)), replaced(b, text.slice(a.start, a.end))],
  };
  if (early.layers !== undefined && late.layers !== undefined) {
    yield {
      what: `Exchange the layers of "${early.name}" and "${late.name}"`,
      edits: [withLayers(syntax, early, late.layers), withLayers(syntax, late, early.layers)],
    };
    yield {
      what: `Move ${layer} to "${late.name}"`,
      edits: [
        withLayers(
          syntax,
          early,
          early.layers.filter((each) => each !== layer),
        ),
        withLayers(syntax, late, inOrder([...late.layers, layer])),
      ],
    };
    yield {
      what: `Move ${needs} to "${early.name}"`,
      edits: [
        withLayers(syntax, early, inOrder([needs, ...early.layers])),
        withLayers(
          syntax,
          late,
          late.layers.filter((each) => each !== needs),
        ),
      ],
    };
  }
  yield balanced(syntax, finding.place.start, stages);
}
