import { cutStages, stageName, stageNumber } from '../costs/stages.ts';
import type { Subject } from './candidates.ts';
import { writtenLayers } from './layers.ts';
import { fits, simulated, tried } from './outcome.ts';
import type { Edit } from './proposal.ts';
import { setKey, stageBody } from './source.ts';
import type { Candidate } from './trial.ts';

/** Moves as few layers as are enough from the end of the stage to the next one, or from its start to the one before. */
export function* moveCandidates(subject: Subject, stage: number): Generator<Candidate | undefined, void, void> {
  for (const side of [1, -1]) yield moved(subject, stage, side);
}

function moved(subject: Subject, from: number, side: number): Candidate | undefined {
  const { analysis, pipeline, body, plan, again } = subject;
  const { stages, placement, devices } = plan;
  const neighbour = cutStages(plan)[stageNumber(plan, from) + side];
  if (neighbour === undefined) return undefined;
  // Of a neighbour with copies any is as good: they hold the same.
  const to = neighbour.index;
  if (placement[to] === placement[from]) return undefined;
  const names = [stageName(stages[from]), stageName(stages[to])];
  const bodies = [stageBody(body, names[0]), stageBody(body, names[1])] as const;
  if (bodies[0] === undefined || bodies[1] === undefined) return undefined;
  const [source, target] = bodies;
  const { text } = analysis.syntax;
  const attempt = (count: number) => {
    const all = stages[from].layers;
    const gone = side > 0 ? all.slice(all.length - count) : all.slice(0, count);
    const left = side > 0 ? all.slice(0, all.length - count) : all.slice(count);
    const joined = side > 0 ? [...gone, ...stages[to].layers] : [...stages[to].layers, ...gone];
    const edits = [
      setKey(text, source, 'layers', writtenLayers(left)),
      setKey(text, target, 'layers', writtenLayers(joined)),
    ].filter((edit): edit is Edit => edit !== undefined);
    const changed = edits.length === 2 ? tried(analysis, edits, again) : undefined;
    const after = changed === undefined ? undefined : simulated(changed, pipeline);
    return after !== undefined && fits(after, devices[placement[from]].name) ? { gone, edits } : undefined;
  };
  // Doubling, then halving: few simulations even for stages of many layers.
  const most = stages[from].layers.length - 1;
  let enough = 1;
  let found = most < 1 ? undefined : attempt(enough);
  while (found === undefined && enough < most) {
    enough = Math.min(2 * enough, most);
    found = attempt(enough);
  }
  for (let low = (enough >> 1) + 1, high = enough; found !== undefined && low < high;) {
    const middle = (low + high) >> 1;
    const less = attempt(middle);
    if (less === undefined) low = middle + 1;
    else [found, high] = [less, middle];
  }
  return found === undefined
    ? undefined
    : { what: `Move ${writtenLayers(found.gone)} to "${names[1]}"`, kind: 'move', edits: found.edits };
}
