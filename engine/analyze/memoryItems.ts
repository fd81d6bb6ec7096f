/** What a device holds at its peak, item by item. */
import { B, I, kindOf, type Program, stageOf, U } from '../program.ts';
import type { PipelinePlan } from '../plan.ts';
import { heldAt } from '../order/memoryWalk.ts';
import { stagesOn, turnsOf } from '../stagesOn.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import type { MemoryItem, MemoryItemKind } from '../report.ts';

/**
 * Items of the peak of a device, static ones first; they add up to it, and none is empty. The walk ends at the peak, so that this
 * costs less than finding it.
 */
export function memoryItems(
  plan: PipelinePlan,
  program: Program,
  peak: MemoryPeak,
  device: number,
): readonly MemoryItem[] {
  const items: MemoryItem[] = [];
  const local = stagesOn(plan.placement, device);
  const always = (kind: 'weights' | 'gradients' | 'optimizer' | 'buffers') => {
    const bytes = local.reduce((sum, stage) => sum + plan.stages[stage][kind], 0);
    if (bytes > 0) items.push({ kind, bytes });
  };
  const counted = (kind: MemoryItemKind, stage: number, count: number, each: number) => {
    const home = plan.placement[stage];
    const elsewhere = home === device ? {} : { of: plan.devices[home].name };
    if (count * each > 0)
      items.push({ kind, stage: plan.stages[stage].name, ...elsewhere, count, bytes: count * each });
  };
  always('weights');
  always('gradients');
  always('optimizer');
  if (peak.versions > 0) items.push({ kind: 'versions', bytes: peak.versions });
  always('buffers');
  if (peak.position < 0) return items;
  const { kept, keptForWeight, again } = heldAt(plan, program, device, peak.position, peak.when);
  const turn = turnsOf(plan.placement);
  const countOf = (counts: Int32Array, stage: number) =>
    plan.placement[stage] === device ? (counts[turn[stage]] ?? 0) : 0;
  // Activations of other devices' stages are here only where devices evict.
  for (const stage of peak.moved === undefined ? local : plan.stages.keys())
    counted('activations', stage, countOf(kept, stage) + (peak.moved?.[stage] ?? 0), plan.stages[stage].activation);
  for (const stage of local)
    counted('activations_for_weight', stage, countOf(keptForWeight, stage), plan.stages[stage].activationForWeight);
  const running = peak.when === 'during' ? slotOf(program, device, peak.position) : [];
  for (const stage of local) {
    const { recomputed, recomputedWhole, workspace } = plan.stages[stage];
    const mine = running.filter((candidate) => candidate.stage === stage);
    const backwards = mine.filter(({ kind }) => (kind === B || kind === I) && program.apart?.[stage] !== 1).length;
    counted('recomputed', stage, countOf(again, stage), recomputedWhole ?? recomputed);
    counted('recomputed', stage, backwards, recomputed);
    counted('workspace', stage, mine.filter(({ kind }) => kind <= U).length, workspace);
  }
  const names = program.declared?.names ?? [];
  for (const [index, name] of names.entries()) {
    const held = peak.operations?.filter(({ operation }) => operation === index) ?? [];
    const bytes = held.reduce((sum, each) => sum + each.bytes, 0);
    if (bytes > 0) items.push({ kind: 'operations', operation: name, count: held.length, bytes });
  }
  return items;
}

/** Operations of the slot whose last one is at `position`. */
function slotOf(program: Program, device: number, position: number) {
  const { fused, order, offsets } = program;
  const both = position > offsets[device] && fused?.[position - 1] === 1;
  return Array.from(order.subarray(both ? position - 1 : position, position + 1), (word) => ({
    kind: kindOf(program, word),
    stage: stageOf(program, word),
  }));
}
