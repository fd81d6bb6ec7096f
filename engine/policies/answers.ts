/** Answers of searches, by key: the same pipeline is asked about again at every edit that does not touch it. */

export interface Answers<A> {
  known(key: string): A | undefined;
  keep(key: string, answer: A): void;
}

/** Keeps as many as `room` bytes hold, and one at least; the answer that was asked for longest ago goes first. */
export function answersWithin<A>(room: number, bytesOf: (answer: A) => number): Answers<A> {
  const answers = new Map<string, A>();
  let held = 0;
  return {
    known(key) {
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep(key, answer) {
      const before = answers.get(key);
      held += bytesOf(answer) - (before === undefined ? 0 : bytesOf(before));
      answers.delete(key);
      answers.set(key, answer);
      for (const [oldest, other] of answers) {
        if (held <= room || oldest === key) return;
        answers.delete(oldest);
        held -= bytesOf(other);
      }
    },
  };
}

/** All values of a list; equal values one after another are written once. */
export function listKey(values: ArrayLike<number>): string {
  const parts: string[] = [];
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && Object.is(values[to], values[from])) to += 1;
    parts.push(`${to - from}×${values[from]}`);
  }
  return parts.join(',');
}
