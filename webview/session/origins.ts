import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import type { OriginLine } from '../protocol/requests.ts';

/** Answers that are kept for a plan. */
const mostKept = 200;

/** What wrote a block: asked once for each block of a plan. The editor knows the text; the page shows its answer. */
export function origins(post: (message: FromPage) => void, found: () => void) {
  let of: PipelinePlan | undefined;
  let known = new Map<string, readonly OriginLine[]>();
  let asked: string | undefined;
  let request = 0;

  return {
    /** Undefined while it is not known; empty where no text of a schedule wrote the block. */
    lines: (plan: PipelinePlan, path: string): readonly OriginLine[] | undefined =>
      plan === of ? known.get(path) : undefined,
    want(plan: PipelinePlan, path: string): void {
      if (plan !== of) {
        of = plan;
        known = new Map();
        asked = undefined;
      }
      if (known.has(path) || asked === path) return;
      asked = path;
      request += 1;
      post({ type: 'origin', request, path });
    },
    answered(message: Extract<ToPage, { readonly type: 'origin' }>): void {
      if (message.request !== request || asked === undefined) return;
      if (known.size >= mostKept) known = new Map();
      known.set(asked, message.lines);
      asked = undefined;
      found();
    },
  };
}
