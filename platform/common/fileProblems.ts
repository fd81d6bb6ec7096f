/** What is wrong with a file that cannot be read, in words that follow "cannot be read:". */
import { bytes } from '../../engine/basics/quantities.ts';

export const isFolder = 'it is a folder';
export const notUtf8 = 'it is not UTF-8; save it in UTF-8';

/** `size`: absent where only the limit is known to be passed. */
export const tooLarge = (limit: number, size?: number): string =>
  size === undefined
    ? `it has more than ${bytes(limit)}, which is the limit`
    : `it has ${bytes(size)}, over the limit of ${bytes(limit)}`;
