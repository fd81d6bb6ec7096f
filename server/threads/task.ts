/** A search that a request or a check waits for. */
import { inNextTurn } from '../../platform/common/turn.ts';
import type { Asked } from './serve.ts';
import { newestOf } from './newest.ts';

export interface Task {
  readonly owner: string;
  readonly message: Asked;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress?: (progress: unknown) => void;
  /** The work itself, for where there is no thread to be had. */
  readonly steps: () => Generator<unknown, unknown, void>;
  /** As `Search` has it. */
  readonly large: boolean;
  cancelled: boolean;
}

/** Works here, where there is no thread to be had, in slices, so that requests are answered between them. */
export async function workHere(task: Task): Promise<void> {
  try {
    const steps = task.steps();
    const tell = newestOf((progress) => task.progress?.(progress));
    while (!task.cancelled) {
      await new Promise<void>((resolve) => inNextTurn(resolve));
      const step = steps.next();
      if (step.done) return task.resolve(step.value);
      tell(step.value);
    }
  } catch (error) {
    task.reject(error instanceof Error ? error : new Error(String(error)));
  }
}
