/** What runs in a thread: it finds one answer at a time, and gives a search up between two of its steps when nobody wants the answer. */
import type { Search } from '../../engine/basics/searches.ts';
import type { ThreadChannel } from '../../platform/common/threads.ts';
import { newestOf } from './newest.ts';

export interface Asked {
  /** Unique among the tasks of the server. */
  readonly task: number;
  readonly search: string;
  readonly problem: unknown;
}

export type Answered =
  | { readonly ready: true }
  | { readonly task: number; readonly answer: unknown }
  | { readonly task: number; readonly progress: unknown }
  | { readonly task: number; readonly error: string }
  | { readonly task: number; readonly givenUp: true };

type Steps = (problem: never) => Generator<unknown, unknown, void>;

/** A search by its name. A problem comes from the search of that name, so its type is right. */
export const entry = <Problem, Answer>({ name, steps }: Search<Problem, Answer>): readonly [string, Steps] => [
  name,
  steps,
];

/** Milliseconds between two looks at what the server says, where that takes a turn. */
const hearEvery = 10;

/** Answers what the server asks of these searches. */
export function serve(entries: readonly (readonly [string, Steps])[], channel: ThreadChannel): void {
  const searches = new Map(entries);
  const { hear } = channel;

  /** Undefined: the server has to be heard before the next step. */
  function* answering({ task, search, problem }: Asked): Generator<undefined, Answered, void> {
    try {
      const steps = searches.get(search)?.(problem as never);
      if (steps === undefined) throw new Error(`Unknown search "${search}".`);
      const tell = newestOf((progress) => channel.send({ task, progress } satisfies Answered, []));
      let heard = performance.now();
      while (!channel.isUnwanted(task)) {
        const step = steps.next();
        if (step.done === true) return { task, answer: step.value };
        tell(step.value);
        if (hear === undefined || performance.now() - heard < hearEvery) continue;
        yield;
        heard = performance.now();
      }
      return { task, givenUp: true };
    } catch (error) {
      return { task, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  async function answer(asked: Asked): Promise<void> {
    const steps = answering(asked);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return send(step.value);
      await hear?.();
    }
  }

  function send(message: Answered): void {
    // A copy is handed over: what the engine keeps for its next question stays here.
    const copy = structuredClone(message);
    channel.send(copy, 'answer' in copy ? buffersOf(copy.answer) : []);
  }
  channel.listen((asked) => void answer(asked as Asked));
  send({ ready: true });
}

/** Memory of the typed arrays in an answer: handed over, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const pending: unknown[] = [answer];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
    } else if (Array.isArray(value)) {
      // Lists of plain numbers and texts hold no arrays.
      if (typeof value[0] === 'object') for (const item of value) pending.push(item);
    } else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) pending.push(item);
  }
  return [...found];
}
