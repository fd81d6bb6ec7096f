import { deviceOf } from '../picture/blocks.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import type { OriginLine } from '../protocol/requests.ts';
import { origins } from '../session/origins.ts';
import type { Pointed, Selection } from '../session/selection.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { pathOf } from '../session/source.ts';

/** Milliseconds that the pointer rests on a block before the page asks what wrote it. */
const rest = 150;

/** The text that wrote the block under the pointer and the selected block; only of a schedule with rows or slots. */
export function blockOrigin(
  timeline: () => ShownTimeline | undefined,
  post: (message: FromPage) => void,
  found: () => void,
) {
  const known = origins(post, found);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** The path of a block whose device has a row; undefined for other blocks. */
  function rowPath({ plan, picture }: ShownTimeline, block: number): string | undefined {
    const { schedule } = plan;
    if (schedule.kind !== 'rows' || (picture.items?.[block] ?? -1) < 0) return undefined;
    return deviceOf(picture, block) < schedule.rows.length
      ? pathOf(plan, picture, { kind: 'block', block })
      : undefined;
  }

  function want(target: Pointed | Selection | undefined): void {
    const of = timeline();
    const path = of === undefined || target?.kind !== 'block' ? undefined : rowPath(of, target.block);
    if (of !== undefined && path !== undefined) known.want(of.plan, path);
  }

  return {
    pointed(at: Pointed | undefined): void {
      clearTimeout(timer);
      timer = at?.kind === 'block' ? setTimeout(() => want(at), rest) : undefined;
    },
    selected: want,
    lines(of: ShownTimeline, block: number): readonly OriginLine[] {
      const path = rowPath(of, block);
      return (path === undefined ? undefined : known.lines(of.plan, path)) ?? [];
    },
    answered: (message: Extract<ToPage, { readonly type: 'origin' }>): void => known.answered(message),
  };
}
