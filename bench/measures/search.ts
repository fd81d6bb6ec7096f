import { seedsOf } from '../../engine/policies/searched/seeds.ts';
import { layoutOf } from '../../engine/search/layout.ts';
import { search } from '../../test/support/search.ts';
import { shapeFor } from '../../test/unit/schedule/search/shapes.ts';
import { instances } from '../../test/unit/search/instances.ts';
import type { Table } from '../rows.ts';

/** Seconds that a search with `effort = 1` may take. */
const most = 1;
/** Instances whose best order it proves. */
const leastProven = 30;

/** The search for an order, with its bound, over the instances of the tests: those that are proven, and those that use up their effort. */
export function searchTable(): Table {
  const runs = instances.map(({ name, problem }) => {
    const begun = process.cpuUsage();
    const seeds = seedsOf(shapeFor(problem), layoutOf(problem), 'end');
    const { makespan, bound } = search(problem, { seeds, objective: 'end', effort: 1 });
    const { user, system } = process.cpuUsage(begun);
    return { name, seconds: (user + system) / 1e6, gap: makespan / bound - 1 };
  });
  const groups = [
    ['proven', runs.filter(({ gap }) => gap === 0)],
    ['not proven', runs.filter(({ gap }) => gap > 0)],
    ['all', runs],
  ] as const;
  return {
    title: 'Search for an order, effort = 1',
    head: ['instances', 'count', 'mean gap', 'instances/s', 'longest'],
    rows: groups
      .filter(([, group]) => group.length > 0)
      .map(([name, group]) => {
        const total = group.reduce((sum, { seconds }) => sum + seconds, 0);
        const longest = group.reduce((slowest, run) => (run.seconds > slowest.seconds ? run : slowest));
        return {
          cells: [
            name,
            String(group.length),
            `${((100 * group.reduce((sum, { gap }) => sum + gap, 0)) / group.length).toFixed(2)} %`,
            (group.length / total).toFixed(1),
            `${longest.seconds.toFixed(2)} s (${longest.name})`,
          ],
          took: 1e3 * longest.seconds,
          ...(name === 'all' ? { goal: { text: `each ≤ ${most} s`, met: longest.seconds <= most } } : {}),
          ...(name === 'proven' ? { goal: { text: `≥ ${leastProven}`, met: group.length >= leastProven } } : {}),
        };
      }),
  };
}
