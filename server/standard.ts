/** Files that come with the product, by uri (`std:hardware`). */
import { standardFiles } from '../engine/std/index.ts';

export const standardNames: readonly string[] = [...standardFiles.keys()];
