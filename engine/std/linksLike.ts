/** Links of `std:hardware` whose names begin as another name does. */
import { links } from './links.ts';

/** Names with the same first letters, the fastest link first: `pcie9` gives every `pcie…`, `nvlink` every NVLink. */
export function linksLike(name: string): readonly string[] {
  const kind = kindOf(name.toLowerCase());
  return links
    .filter((link) => kindOf(link.name) === kind)
    .toSorted((a, b) => rateOf(b) - rateOf(a))
    .map((link) => link.name);
}

/** The letters that a name begins with. */
const kindOf = (name: string): string => /^[a-z]*/.exec(name)?.[0] ?? '';

const rateOf = ({ reached, line }: (typeof links)[number]): number => reached ?? line ?? 0;
