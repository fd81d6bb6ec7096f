/** Milliseconds between two messages about one piece of work: nobody can read them faster. */
export const messagePause = 100;

/** Passes on the newest value, at most once in `pause` milliseconds; older ones are dropped. Call it often, also without a value. */
export function newestOf<T>(pass: (value: T) => void, pause = messagePause): (value: T | undefined) => void {
  let newest: T | undefined;
  let passed = -Infinity;
  return (value) => {
    newest = value ?? newest;
    if (newest === undefined || performance.now() - passed < pause) return;
    passed = performance.now();
    pass(newest);
    newest = undefined;
  };
}
