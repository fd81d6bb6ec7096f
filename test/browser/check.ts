import assert from 'node:assert/strict';
import type { launch } from './harness.ts';

export type Browser = Awaited<ReturnType<typeof launch>>;
export interface PageTest {
  readonly name: string;
  run(browser: Browser): Promise<void>;
}

/** Every part of the colour is near what it should be (antialiasing and colour management leave a little). */
export function sameColour(actual: readonly number[], expected: readonly number[], what: string): void {
  const far = actual.some((part, index) => Math.abs(part - expected[index]) > 6);
  assert.ok(!far, `${what}: rgb(${actual.join(', ')}) instead of rgb(${expected.join(', ')})`);
}
