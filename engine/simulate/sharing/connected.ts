import type { CallPass } from '../../values/exchangePlan.ts';

/** Users of links in groups of two or more that share some, directly or through others. O(flows · α). */
export function connectedBy(passes: readonly (readonly CallPass[])[]): readonly (readonly number[])[] {
  const leader = Int32Array.from(passes, (_, user) => user);
  const find = (user: number): number => {
    while (leader[user] !== user) {
      leader[user] = leader[leader[user]];
      user = leader[user];
    }
    return user;
  };
  const firstOf = new Map<number, number>();
  passes.forEach((own, user) => {
    for (const { flows } of own)
      for (const { link } of flows) {
        const first = firstOf.get(link) ?? user;
        firstOf.set(link, first);
        const [a, b] = [find(first), find(user)];
        leader[Math.max(a, b)] = Math.min(a, b);
      }
  });
  const groups = new Map<number, number[]>();
  passes.forEach((_, user) => {
    const first = find(user);
    const known = groups.get(first);
    if (known === undefined) groups.set(first, [user]);
    else known.push(user);
  });
  return [...groups.values()].filter(({ length }) => length > 1);
}
