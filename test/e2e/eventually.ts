import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { patience } from '../host/patience.ts';

/** Asks again until it holds. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + patience(40_000); Date.now() < end; await delay(100))
    if (await Promise.resolve(holds()).catch(() => false)) return;
  assert.fail(`not within 40 s: ${what}`);
}
