import { placeOf } from '../../engine/check.ts';
import type { LocateAnswer, LocateRequest } from '../../webview/protocol/requests.ts';
import { locate, type View } from '../view.ts';

/** Where a path of the plan stands; where it has no place of its own, what holds it. */
export function locatePath(view: View, { path }: LocateRequest): LocateAnswer {
  const place = placeOf(path, view.analysis.resolution.origins);
  return (place && locate(view, place)) ?? null;
}
