/** What the status bar says of the language server. */
export type ServerState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  | { readonly kind: 'restarting'; readonly attempt: number }
  /** It ended too often, or never started. Only the user starts it again. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** Ends of the server within `windowMs` that are answered with another start. */
export const restartLimit = { count: 4, windowMs: 180_000 } as const;

/** Whether to start the server again after it ended at `now`, given the times (ms) at which it ended before. */
export function restartAfter(
  earlier: readonly number[],
  now: number,
): { readonly restart: boolean; readonly ends: readonly number[] } {
  const ends = [...earlier.filter((at) => now - at < restartLimit.windowMs), now];
  return { restart: ends.length <= restartLimit.count, ends };
}
