import type { Parts } from './parts.ts';
import type { RacesHost } from './races.ts';

/** What a comparison begins with: the pipeline on show, with the order that is drawn. */
export function shownForRaces({ file, timelines }: Parts): ReturnType<RacesHost['shown']> {
  const [plan, message] = [file.pipeline(), file.message()];
  if (plan === undefined || message === undefined) return undefined;
  const { options, orders } = message;
  const timeline = timelines.timeline();
  // The same plan may have come again.
  const isDrawn = timeline !== undefined && JSON.stringify(timeline.plan) === JSON.stringify(plan);
  const order = isDrawn ? timeline.picture.order : undefined;
  return {
    ...{ plan, pipelines: file.comparable(), options, tried: file.isTrying() },
    ...(orders === undefined ? {} : { orders }),
    ...(order === undefined ? {} : { order }),
  };
}
