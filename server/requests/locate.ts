import { placeOf } from '../../engine/flow/check.ts';
import type { LocateAnswer, LocateRequest } from '../../webview/protocol/requests.ts';
import { originOf } from './origin.ts';
import { scheduleOrigins } from '../scheduleOrigins.ts';
import { locate, type View } from '../view.ts';

/**
 * The place of a path of the plan in the text. A path without a place gets the place of the nearest thing
 * around it. An operation of a row has the place of its innermost text.
 */
export function locatePath(view: View, { path }: LocateRequest): LocateAnswer {
  const { resolution } = view.analysis;
  const place =
    originOf(resolution, path)?.place ?? placeOf(path, resolution.places) ?? placeOf(path, scheduleOrigins(view));
  return (place && locate(view, place)) ?? null;
}
