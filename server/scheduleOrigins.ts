/** Places of schedules that are shown without a pipeline: the plan of the file does not have them. */
import { createReporter } from '../engine/findings/reporter.ts';
import { type Place, paths } from '../engine/values/plan.ts';
import type { View } from './view.ts';

/** Devices whose rows have places. */
const mostDevices = 64;
const unknown = { stages: NaN, devices: NaN, microbatches: NaN };

/** Paths of each schedule of the file, of its rows and of its conditions. */
export function scheduleOrigins({ uri, syntax, analysis }: View): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'schedule' || declaration.name === undefined)
      continue;
    const { text: name, start, end } = declaration.name;
    found.set(paths.pipeline(name), { uri, start, end });
    const declared = analysis.resolution.schedules.find((schedule) => schedule.name === name);
    const body = declared?.bind({}, createReporter(uri, 0))?.body;
    if (body?.kind === 'greedy')
      for (const [index, place] of body.written.entries()) found.set(paths.guard(name, index), place);
    if (body?.kind !== 'rows') continue;
    const rowOf = body.rows(unknown);
    for (let device = 0; device < mostDevices; device += 1) {
      const row = rowOf(device);
      if (row === undefined) continue;
      found.set(paths.row(name, device), row.place);
      for (const [item, place] of row.items.entries()) found.set(paths.rowItem(name, device, item), place);
    }
  }
  return found;
}
