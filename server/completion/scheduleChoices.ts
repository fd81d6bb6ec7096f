import { policyWriting, searchesLong, stageCount } from '../../engine/fixes/policies.ts';
import { apply, type Edit } from '../../engine/fixes/proposal.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import { policies } from '../../engine/policies/registry.ts';
import { cutStages } from '../../engine/costs/stages.ts';
import type { View } from '../view.ts';
import { type Base, type Choice, fileWith } from './choice.ts';
import type { ValueSlot } from './slot.ts';
import { symbolsOf } from './symbols.ts';

/** Schedules of the file, then all policies. */
export function scheduleChoices(view: View, slot: ValueSlot, base: Base): readonly Choice[] {
  const { key } = slot;
  const devices = base.plan.devices.length;
  const declared = symbolsOf(view, ['schedule']).map(({ name }) => ({
    key,
    name,
    text: name,
    file: () => fileWith(slot, name),
    devices,
    stages: cutStages(base.plan).length,
    long: false,
  }));
  const builtIn = policies.map((policy): Choice => {
    const { text, stages } = policyWriting(policy, base.plan, slot.written, view.syntax.text);
    const edit = stages === cutStages(base.plan).length ? undefined : cutEdit(slot, base, stages);
    // Places in the file without what stands in the slot.
    const around = edit === undefined ? [] : [{ ...edit, ...moved(edit, slot, -base.written.length) }];
    const insert = { start: slot.start, end: slot.start, text };
    return {
      key,
      name: policy.name,
      text,
      ...(edit === undefined
        ? {}
        : { cut: { ...edit, ...moved(edit, slot, slot.end - slot.start - base.written.length), stages } }),
      file: () => apply(fileWith(slot, ''), [insert, ...around]),
      devices,
      stages,
      long: searchesLong(policy, base.plan),
    };
  });
  return [...declared, ...builtIn];
}

/** Only in the pipeline itself: a number elsewhere may be meant for other pipelines too. */
function cutEdit(slot: ValueSlot, { analysis }: Base, stages: number): Edit | undefined {
  const body = pipelineBody(analysis.syntax, slot.pipeline);
  const edit = body === undefined ? undefined : stageCount({ analysis, body }, stages);
  return edit === undefined || body === undefined || edit.start < body.start || edit.end > body.end ? undefined : edit;
}

/** Places behind the slot move with the length of its content. */
const moved = ({ start, end }: Edit, slot: ValueSlot, by: number): { start: number; end: number } =>
  start < slot.start ? { start, end } : { start: start + by, end: end + by };
