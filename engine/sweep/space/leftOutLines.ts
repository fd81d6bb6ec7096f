/** What a search without a `search` block leaves out, a line for each reason: `context over 2, other schedules: to keep the search small.` */
import type { LeftOut } from './choice.ts';

export function leftOutLines(leftOut: readonly LeftOut[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { what, why } of leftOut) reasons.set(why, [...(reasons.get(why) ?? []), what]);
  return [...reasons].map(([why, what]) => `${what.join(', ')}: ${why}.`);
}
