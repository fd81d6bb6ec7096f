/** Tests that run in one process, for what shares a browser or an editor. The last line is `N passed, N failed`. */
import { patience } from '../host/patience.ts';

type Body = () => Promise<void> | void;

interface Test {
  readonly name: string;
  readonly body: Body;
}

const tests: Test[] = [];

export function test(name: string, body: Body): void {
  tests.push({ name, body });
}

export interface RunOptions {
  /** Each test starts where the one before ended: after a failure the rest is counted as failed and not run. */
  readonly chain?: boolean;
  /** Tests at a time. */
  readonly atOnce?: number;
  /** Most milliseconds of one test. */
  readonly limitMs?: number;
  /** For a picture of what was seen, before anything is closed. */
  readonly failed?: (name: string) => Promise<void>;
}

/** Runs all tests and sets the exit status. */
export async function runTests(options: RunOptions = {}): Promise<void> {
  const { chain = false, atOnce = 1, limitMs = patience(60_000), failed } = options;
  let passes = 0;
  let failures = 0;
  const again: Test[] = [];
  const left = [...tests];

  /** Whether it passed. */
  async function run({ name, body }: Test, word: string): Promise<boolean> {
    const started = performance.now();
    const problem = await problemOf(body, limitMs);
    const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
    console.log(
      `${problem === undefined ? word : 'FAILED'} ${seconds} s  ${name}${problem === undefined ? '' : `\n${problem}`}`,
    );
    if (problem === undefined) passes += 1;
    else await failed?.(name).catch(() => undefined);
    return problem === undefined;
  }

  async function work(): Promise<void> {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      if (await run(next, 'ok    ')) continue;
      if (!chain) {
        again.push(next);
        continue;
      }
      failures += 1 + left.length;
      for (const { name } of left.splice(0)) console.log(`not run  ${name}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work));
  // What failed beside other tests may have lacked a processor. By itself it has to pass.
  for (const test of again) if (!(await run(test, 'alone '))) failures += 1;
  console.log(`${passes} passed, ${failures} failed`);
  process.exitCode = failures === 0 && passes > 0 ? 0 : 1;
}

async function problemOf(body: Body, limitMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end after ${limitMs} ms.`)), limitMs);
  });
  try {
    await Promise.race([body(), limit]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(timer);
  }
}
