/** As `setTimeout`, but nobody waits for it: it keeps no process alive. A browser has no process to keep alive. */
export function quietTimer(action: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(action, milliseconds);
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
  return timer as ReturnType<typeof setTimeout>;
}
