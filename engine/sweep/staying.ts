/** Ranks and the optimizer that every row has as the file has them: a best row is the best only among rows with these. */
import type { Axis } from '../definitions/search.ts';
import { rankKeys, settingsText } from './axes.ts';
import type { SweepBase } from './base.ts';

/** `tensor 8, optimizer adam_mixed(shard = zero1)`; empty where all of them are searched, or follow from what is. */
export function stayingText(base: SweepBase, axes: readonly Axis[]): string {
  const { written, ranks, params } = base;
  const { tensor, context, expert, data } = base.size.mesh;
  const searched = new Set(axes.map(({ key }) => key));
  // Data ranks are what is left, or pipeline ranks are, if data ranks are searched.
  const isSame = !rankKeys.some((key) => searched.has(key));
  const values: readonly (readonly [key: string, value: number | string | undefined])[] = [
    ['tensor', tensor],
    ['pipeline', searched.has('data') ? undefined : ranks],
    ['context', context > 1 ? context : undefined],
    ['expert', expert > 1 ? expert : undefined],
    ['data', isSame ? data : undefined],
    ['optimizer', written('optimizer')],
  ];
  const followed = params.filter((param) => searched.has(param));
  const follows = (key: string): boolean =>
    (written(key === 'pipeline' ? 'stages' : key)?.match(/[A-Za-z_]\w*/gu) ?? []).some((word) =>
      followed.includes(word),
    );
  return settingsText(
    Object.fromEntries(
      values.flatMap(([key, value]) =>
        value === undefined || searched.has(key) || follows(key) ? [] : [[key, String(value)]],
      ),
    ),
  );
}
