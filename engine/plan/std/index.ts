import { hardware } from './hardware.ts';

/** Files that come with the language, by what an `import` writes. Their uri is the same text. */
export const standardFiles: ReadonlyMap<string, string> = new Map([['std:hardware', hardware]]);
