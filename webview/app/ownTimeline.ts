import type { OwnTimeline } from './compared.ts';
import type { Parts } from './parts.ts';
import { shownForRaces } from './shownForRaces.ts';

/** What a comparison side by side has above: the pipeline on show, or why there is none. */
export function ownTimeline(parts: Parts): OwnTimeline {
  const { file, remembered } = parts;
  const title = file.message()?.title ?? remembered.uri?.slice(remembered.uri.lastIndexOf('/') + 1) ?? '';
  const pipeline = file.shownName();
  const name = pipeline === undefined ? title : `${title}: ${pipeline}`;
  const shown = shownForRaces(parts);
  const { gone } = remembered;
  if (shown === undefined) {
    const schedule = file.schedule()?.problem?.message;
    const problem =
      gone ?? schedule ?? (file.message() === undefined ? remembered.trouble : `${title} has no pipeline.`);
    return { name, note: '', ...(problem === '' ? {} : { problem }) };
  }
  const { plan, options, order, tried } = shown;
  return {
    ...{ name, plan, options },
    note: tried ? 'as tried' : '',
    ...(order === undefined ? {} : { order }),
    ...(gone === undefined ? {} : { problem: gone }),
  };
}
