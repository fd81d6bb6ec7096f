import { clusters } from './clusters.ts';
import { hardware } from './hardware.ts';
import { models } from './models.ts';

/** Files that come with the language, by what an `import` writes. Their uri is the same text. */
export const standardFiles: ReadonlyMap<string, string> = new Map([
  ['std:clusters', clusters],
  ['std:hardware', hardware],
  ['std:models', models],
]);
