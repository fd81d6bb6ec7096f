/** Data of which parts are missing or something else, as no editor sends it. */
import type { Random } from '../../engine/search/random.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values of every kind, in place of any other. */
const odd: readonly Json[] = [null, true, -1, 0, 0.5, 3, 1e9, 1e300, '', 'x', '__proto__', [], [1], {}, { kind: 'x' }];

interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string | number;
}

/** Every place in a value, the value itself left out. */
function placesIn(value: Json): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [{ holder: value, key }, ...placesIn((value as { [key: string]: Json })[key])]);
}

/** Changes one to three places in a value: gone, odd, a copy of another value, or twice. */
export function damage(value: Json, random: Random): void {
  for (let left = 1 + random.whole(3); left > 0; left -= 1) {
    const places = placesIn(value);
    const { holder, key } = places[random.whole(places.length)];
    const values = holder as { [key: string]: Json };
    const kind = random.whole(4);
    if (kind === 0 && Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (kind === 0) delete values[key];
    else if (kind === 1 && Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(values[key]));
    else if (kind === 2) {
      const other = places[random.whole(places.length)];
      values[key] = structuredClone((other.holder as { [key: string]: Json })[other.key]);
    } else values[key] = structuredClone(odd[random.whole(odd.length)]);
  }
}
