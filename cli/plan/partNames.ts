/** Files of a search in its folder. They are named after parts alone: no text of a `.pipe` file is in them. */
import type { Shard } from '../../engine/sweep/sweep.ts';

const partName = ({ index, of }: Shard): string => `part-${index}-of-${of}`;

export const rowsName = (shard: Shard): string => `${partName(shard)}.rows`;
export const frontName = (shard: Shard): string => `${partName(shard)}.front`;
export const lockName = (shard: Shard): string => `${partName(shard)}.lock`;

const named =
  (ending: string) =>
  (names: readonly string[]): readonly string[] =>
    names
      .flatMap((name) => {
        const [, index, of] = new RegExp(`^part-(\\d{1,9})-of-(\\d{1,9})\\.${ending}$`, 'u').exec(name) ?? [];
        return index === undefined ? [] : [{ name, index: Number(index), of: Number(of) }];
      })
      .toSorted((a, b) => a.of - b.of || a.index - b.index)
      .map(({ name }) => name);

/** The names of a folder that are files of rows, in order of the parts. */
export const rowsNames = named('rows');
export const frontNames = named('front');
