import { parametersOf } from '../../findings/finding.ts';
import { writtenLayers } from '../layers.ts';
import { withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { stagesAround, withLayers } from './stageLayers.ts';
import { balanced } from './stageUnassigned.ts';

/** The layers that two stages hold out of one of them: each choice with what it gives. */
export const stageTwice: Repairer = { repairs, ranked: 'figures' };

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const parameters = parametersOf(finding, 'stage/assigned-twice');
  if (parameters === undefined) return;
  const stages = stagesAround(syntax, finding.place.start);
  const second = stages.find(({ entry }) => entry.name?.start === finding.place.start);
  const [first] = finding.related;
  const other = stages.find(({ entry }) => entry.name?.start === first?.place.start);
  if (second?.layers === undefined || other?.layers === undefined) return;
  if (second === other) {
    const once = [...new Set(second.layers)];
    yield { what: `Name each layer of "${second.name}" once`, edits: [withLayers(syntax, second, once)] };
    return;
  }
  const shared = new Set(second.layers.filter((layer) => other.layers?.includes(layer) === true));
  const label = writtenLayers([...shared]);
  for (const stage of [second, other]) {
    const left = (stage.layers ?? []).filter((layer) => !shared.has(layer));
    if (left.length > 0)
      yield { what: `Remove ${label} from "${stage.name}"`, edits: [withLayers(syntax, stage, left)] };
    else yield { what: `Remove stage "${stage.name}"`, edits: [withoutNode(syntax, stage.entry)], last: true };
  }
  yield balanced(syntax, finding.place.start, stages);
}
