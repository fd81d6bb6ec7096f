import { placeOf } from '../../engine/check.ts';
import type { LocateAnswer, LocateRequest } from '../../webview/protocol/requests.ts';
import { locate, type View } from '../view.ts';

/** The place of a path of the plan in the text. A path without a place gets the place of the nearest thing around it. */
export function locatePath(view: View, { path }: LocateRequest): LocateAnswer {
  const place = placeOf(path, view.analysis.resolution.origins);
  return (place && locate(view, place)) ?? null;
}
