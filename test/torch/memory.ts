import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a program printed, and its exit status. */
export interface Answer {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface MemoryOptions {
  /** Where answers are kept. */
  readonly folder: string;
  readonly run: (args: readonly string[], input: string) => Answer;
  /** All else that an answer depends on, such as the versions of packages. */
  readonly versions: () => string;
  /** Runs every program, whatever is known. */
  readonly always?: boolean;
}

export interface Memory {
  /** The answer of a program; one that was kept is not run. */
  readonly ask: (args: readonly string[], input?: string) => Answer;
  /** Keeps the answers since `forget`. */
  readonly keep: () => void;
  readonly forget: () => void;
  readonly counts: () => { readonly asked: number; readonly remembered: number };
}

/** Remembers the answers of programs by their arguments, the files that these name, and their input. */
export function answerMemory({ folder, run, versions, always = false }: MemoryOptions): Memory {
  const fresh = new Map<string, Answer>();
  let asked = 0;
  let remembered = 0;
  const fileOf = (args: readonly string[], input: string): string => {
    const contents = args.map((each) => (existsSync(each) ? readFileSync(each, 'utf8') : each));
    const key = createHash('sha256').update(JSON.stringify([versions(), contents, input]));
    return path.join(folder, `${key.digest('hex')}.json`);
  };
  return {
    ask(args, input = '') {
      const file = fileOf(args, input);
      asked += 1;
      if (!always && existsSync(file)) {
        remembered += 1;
        return JSON.parse(readFileSync(file, 'utf8')) as Answer;
      }
      const answer = run(args, input);
      fresh.set(file, answer);
      return answer;
    },
    keep() {
      if (fresh.size > 0) mkdirSync(folder, { recursive: true });
      for (const [file, answer] of fresh) writeFileSync(file, JSON.stringify(answer));
      fresh.clear();
    },
    forget: () => fresh.clear(),
    counts: () => ({ asked, remembered }),
  };
}
