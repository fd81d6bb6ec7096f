/** What work in steps returns, with no pause between them. */
export function toEnd<R>(steps: Generator<unknown, R, void>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
