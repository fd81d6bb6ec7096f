/** Tests that run one after the other in one process, for what shares a browser or an editor. The last line is `N passed, N failed`. */
import { patience } from '../host/patience.ts';

type Body = () => Promise<void> | void;

const tests: { readonly name: string; readonly body: Body }[] = [];

export function test(name: string, body: Body): void {
  tests.push({ name, body });
}

export interface RunOptions {
  /** After a failure the rest is counted as failed and not run: each test starts where the one before ended. */
  readonly chain?: boolean;
  /** Most milliseconds of one test. */
  readonly limitMs?: number;
  /** For a picture of what was seen, before anything is closed. */
  readonly failed?: (name: string) => Promise<void>;
}

/** Runs all tests and sets the exit status. */
export async function runTests({ chain = false, limitMs = patience(60_000), failed }: RunOptions = {}): Promise<void> {
  let passes = 0;
  let failures = 0;
  for (const { name, body } of tests) {
    const started = performance.now();
    const problem = chain && failures > 0 ? 'not run' : await problemOf(body, limitMs);
    if (problem === undefined) passes += 1;
    else {
      failures += 1;
      if (problem !== 'not run') await failed?.(name).catch(() => undefined);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${problem === undefined ? 'ok    ' : 'FAILED'} ${seconds.padStart(5)} s  ${name}${problem === undefined ? '' : `\n${problem}`}`,
    );
  }
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
