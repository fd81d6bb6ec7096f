import type { Answer, Question } from '../picture/questions.ts';
import type { ToWorker } from '../worker/messages.ts';

/** Questions to the worker about the timeline on show. Of each kind, only the newest gets its answer. */
export function questions(send: (message: ToWorker) => void) {
  let next = 0;
  const waiting = new Map<Question['kind'], { readonly id: number; take(answer: Answer): void }>();
  return {
    /** `take` is called unless something newer of the kind is asked, or the timeline is no longer on show. */
    ask<K extends Question['kind']>(
      generation: number,
      question: Extract<Question, { kind: K }>,
      take: (answer: Extract<Answer, { kind: K }>) => void,
    ): void {
      next += 1;
      waiting.set(question.kind, { id: next, take });
      send({ type: 'ask', id: next, generation, question });
    },
    /** The newest question of a kind is no longer of interest. */
    drop(kind: Question['kind']): void {
      waiting.delete(kind);
    },
    answered(id: number, answer: Answer | undefined): void {
      for (const [kind, asked] of waiting) {
        if (asked.id !== id) continue;
        waiting.delete(kind);
        if (answer !== undefined) asked.take(answer);
      }
    },
  };
}
