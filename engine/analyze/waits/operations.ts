/** The walk back where a device sends and receives while it computes. */
import { rowOf, stageOf } from '../../values/program.ts';
import { endAt, startAt } from '../../values/timeline.ts';
import { slotFirst } from '../binding.ts';
import type { ChainStop } from './chainTypes.ts';
import { followBack, heldBack, iterationBefore } from './iterationBefore.ts';
import { transferTo, visit, type Walk } from './walk.ts';

/** What decides when the operation at `position` starts. */
export function operationsFrom(walk: Walk, position: number): ChainStop {
  const { timeline, slack, causes } = walk;
  const { program, timing } = timeline;
  const before = iterationBefore(timeline);
  for (let at = position; ;) {
    const start = startAt(timeline, at);
    if (before === undefined && start <= slack) return 'start';
    const device = program.placement[stageOf(program, program.order[at])];
    const first = slotFirst(timeline, at);
    const last = first + (program.fused?.[first] === 1 ? 1 : 0);
    const held = before === undefined ? undefined : heldBack(before, timeline, at);
    if (before !== undefined && held !== undefined) {
      const next = followBack(walk, before, held, at);
      if (typeof next === 'string') return next;
      at = next;
      continue;
    }
    const free = first > program.offsets[device] && Math.abs(endAt(timeline, first - 1) - start) <= slack;
    const known = causes.length;
    const made = transferTo(walk, first, last, start, free);
    if (made >= 0 || free) {
      at = made >= 0 ? made : first - 1;
      // A result that takes no time to travel has no cause of its own to say so.
      if (visit(walk, at, made >= 0 && free && causes.length === known)) return 'device';
      continue;
    }
    // What iterations without a barrier wait for is known only if periods repeat.
    if (timing.exchange?.rule.barrier === false) return 'unknown';
    let release = 0;
    for (let each = first; each <= last; each += 1)
      release = Math.max(release, timing.release?.[rowOf(program, program.order[each])] ?? 0);
    if (Math.abs(release - start) > slack) return 'unknown';
    causes.push({ kind: 'gather', device, from: 0, to: start });
    return 'start';
  }
}
