import { quietTimer } from '../platform/common/quietTimer.ts';

/**
 * Runs `action` at once, and again `pause` milliseconds later if it was called meanwhile: of calls that follow each other the first and
 * the last count.
 */
export function bundled(action: () => void, pause: number): () => void {
  let pausing = false;
  let again = false;
  return function run(): void {
    again = pausing;
    if (pausing) return;
    pausing = true;
    quietTimer(() => {
      pausing = false;
      if (again) run();
    }, pause);
    action();
  };
}
