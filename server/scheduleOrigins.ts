/** Places of schedules that are shown without a pipeline: the plan of the file does not have them. */
import { unknownNumbers } from '../engine/definitions/schedule.ts';
import { rowOrigins } from '../engine/planning/origins.ts';
import { scheduleEvaluator } from '../engine/read/scheduleEvaluator.ts';
import { type Place, paths } from '../engine/values/plan.ts';
import type { View } from './view.ts';

/** Devices whose rows have places. */
const mostDevices = 64;

/** Paths of each schedule of the file, of its rows and of its conditions. */
export function scheduleOrigins({ uri, syntax, analysis }: View): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'schedule' || declaration.name === undefined)
      continue;
    const { text: name, start, end } = declaration.name;
    found.set(paths.pipeline(name), { uri, start, end });
    const declared = analysis.resolution.schedules.find((schedule) => schedule.name === name);
    const definition = declared && scheduleEvaluator.bind(declared, {}).value;
    if (definition?.kind === 'greedy')
      for (const [index, place] of definition.written.entries()) found.set(paths.guard(name, index), place);
    if (definition?.kind === 'rows')
      rowOrigins(found, name, scheduleEvaluator.writtenRows(definition, unknownNumbers, mostDevices));
  }
  return found;
}
