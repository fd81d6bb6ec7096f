/** Schedules that are named only where they are declared: by no pipeline, no test and no other schedule. */
import type { Analysis } from '../../engine/flow/check.ts';
import { symbolId } from '../../engine/language/context.ts';

/** Names of those without an error, in order of position. */
export function untestedSchedules({ resolution }: Pick<Analysis, 'resolution'>): readonly string[] {
  const uses = new Map<string, number>();
  for (const { symbol } of resolution.symbols.references) uses.set(symbol, (uses.get(symbol) ?? 0) + 1);
  // The declaration is a use of its name.
  return resolution.schedules
    .map(({ name }) => name)
    .filter((name) => (uses.get(symbolId('schedule', name)) ?? 0) <= 1);
}
