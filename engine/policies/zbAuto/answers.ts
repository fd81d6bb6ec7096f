/** Answers of searches, by problem: the same pipeline is asked about again at every edit that does not touch it. */
import type { Answer } from './answer.ts';
import type { SearchProblem } from './problem.ts';

/** Bytes of orders that are kept; the answer that was asked for longest ago goes first. */
const room = 2 ** 26;

const answers = new Map<string, Answer>();
let held = 0;

/** All that an answer depends on: equal problems have equal keys. */
export function keyOf(problem: SearchProblem): string {
  const { devices, microbatches, duration, transfer, step, activation, forWeight, limits, unit, objective } = problem;
  const lists = [...duration, transfer, step, activation, forWeight, limits, unit];
  return [objective, devices, microbatches, ...lists.map(listKey)].join(';');
}

/** Equal values one after another are written once. */
function listKey(values: Float64Array): string {
  const parts: string[] = [];
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && values[to] === values[from]) to += 1;
    parts.push(`${to - from}×${values[from]}`);
  }
  return parts.join(',');
}

export function knownAnswer(key: string): Answer | undefined {
  const answer = answers.get(key);
  if (answer === undefined) return undefined;
  answers.delete(key);
  answers.set(key, answer);
  return answer;
}

export function keepAnswer(key: string, answer: Answer): void {
  held += answer.words.length - (answers.get(key)?.words.length ?? 0);
  answers.delete(key);
  answers.set(key, answer);
  for (const [oldest, { words }] of answers) {
    if (held <= room || oldest === key) return;
    answers.delete(oldest);
    held -= words.length;
  }
}
