/** Addresses of schedules that share a page with others: links from elsewhere and guesses of the name still lead to it. */
import { policies } from '../../engine/policies/registry.ts';

/** Published systems that are sections of a page. */
const systems: readonly (readonly [name: string, page: string, anchor: string])[] = [
  ['pipedream_flush', '1f1b', 'pipedream-flush'],
  ['megatron', 'interleaved_1f1b', 'megatron-lm'],
];

/** Pages of the site that lead to another one. */
export const movedPages = (): ReadonlyMap<string, string> =>
  new Map(
    [...policies.map(({ name, page }) => [name, page, name] as const), ...systems]
      .filter(([name, page]) => name !== page)
      .map(([name, page, anchor]) => [`schedules/${name}.md`, redirect(name, `${page}.html#${anchor}`)]),
  );

/** The search box leaves it out: it finds the page itself. */
const redirect = (name: string, address: string): string => `---
search: false
head:
  - - meta
    - http-equiv: refresh
      content: 0; url=${address}
---

# ${name}

See [${name}](./${address.replace('.html', '.md')}).
`;
