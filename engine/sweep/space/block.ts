/** A space as the `search` block that a file would have. */
import type { Axis } from '../../definitions/search.ts';

export const searchBlock = (pipeline: string, axes: readonly Axis[]): string =>
  [`search ${pipeline} {`, ...axes.map(({ key, values }) => `  ${key} in [${values.join(', ')}]`), '}'].join('\n');
