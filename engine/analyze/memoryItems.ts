/** What a device holds at its peak, item by item. */
import { stageFor } from '../basics/lengths.ts';
import { B, I, kindOf, microbatchOf, type Program, stageOf, U } from '../values/program.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { heldAt } from '../order/memory/held.ts';
import { stagesOn, turnsOf } from '../basics/stagesOn.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import type { MemoryItem, MemoryItemKind } from '../values/report.ts';

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
  const sized = (kind: MemoryItemKind, stage: number, count: number, bytes: number) => {
    const home = plan.placement[stage];
    const elsewhere = home === device ? {} : { of: plan.devices[home].name };
    if (bytes > 0) items.push({ kind, stage: plan.stages[stage].name, ...elsewhere, count, bytes });
  };
  const counted = (kind: MemoryItemKind, stage: number, count: number, each: number) =>
    sized(kind, stage, count, count * each);
  always('weights');
  always('gradients');
  always('optimizer');
  if (peak.gradientCopies !== undefined) items.push({ kind: 'gradient_copies', bytes: peak.gradientCopies });
  if (peak.versions > 0) items.push({ kind: 'versions', bytes: peak.versions });
  always('buffers');
  if (peak.position < 0) return items;
  const {
    kept,
    keptForWeight,
    again,
    bytes: held,
  } = heldAt(plan, program, device, peak.position, peak.when === 'update' ? 'after' : peak.when);
  const turn = turnsOf(plan.placement);
  const countOf = (counts: Int32Array, stage: number) =>
    plan.placement[stage] === device ? (counts[turn[stage]] ?? 0) : 0;
  const running = peak.when === 'during' ? slotOf(program, device, peak.position) : [];
  if (held !== undefined) {
    for (const [index, stage] of local.entries()) sized('activations', stage, kept[index], held.kept[index]);
    for (const [index, stage] of local.entries())
      sized('activations_for_weight', stage, keptForWeight[index], held.keptForWeight[index]);
    for (const [index, stage] of local.entries()) {
      sized('recomputed', stage, again[index], held.again[index]);
      for (const { kind, stage: of, microbatch } of running) {
        if (of !== stage) continue;
        const { recomputed, workspace } = stageFor(plan, stage, microbatch);
        const remakes = (kind === B || kind === I) && program.apart?.[stage] !== 1;
        sized('recomputed', stage, 1, remakes ? Math.round(recomputed) : 0);
        sized('workspace', stage, 1, kind <= U ? Math.round(workspace) : 0);
      }
    }
    return [...items, ...ofOperations(program, peak)];
  }
  // Activations of other devices' stages are here only where devices evict.
  for (const stage of peak.moved === undefined ? local : plan.stages.keys())
    counted('activations', stage, countOf(kept, stage) + (peak.moved?.[stage] ?? 0), plan.stages[stage].activation);
  for (const stage of local) {
    const { activationForWeight, offloaded } = plan.stages[stage];
    const held = countOf(keptForWeight, stage);
    // An input gradient brings back what its weight gradient needs.
    const loads =
      offloaded === undefined ? 0 : running.filter((each) => each.stage === stage && each.kind === I).length;
    const bytes = held * activationForWeight + loads * (offloaded?.forWeight ?? 0);
    sized('activations_for_weight', stage, held + loads, bytes);
  }
  for (const stage of local) {
    const { recomputed, recomputedWhole, workspace } = plan.stages[stage];
    const mine = running.filter((candidate) => candidate.stage === stage);
    const backwards = mine.filter(({ kind }) => (kind === B || kind === I) && program.apart?.[stage] !== 1).length;
    counted('recomputed', stage, countOf(again, stage), recomputedWhole ?? recomputed);
    counted('recomputed', stage, backwards, recomputed);
    counted('workspace', stage, mine.filter(({ kind }) => kind <= U).length, workspace);
  }
  return [...items, ...ofOperations(program, peak)];
}

/** What operations of the schedule hold. */
function ofOperations({ declared }: Program, peak: MemoryPeak): readonly MemoryItem[] {
  return (declared?.names ?? []).flatMap((operation, index): readonly MemoryItem[] => {
    const held = peak.operations?.filter((each) => each.operation === index) ?? [];
    const bytes = held.reduce((sum, each) => sum + each.bytes, 0);
    return bytes > 0 ? [{ kind: 'operations', operation, count: held.length, bytes }] : [];
  });
}

/** Operations of the slot whose last one is at `position`. */
function slotOf(program: Program, device: number, position: number) {
  const { fused, order, offsets } = program;
  const both = position > offsets[device] && fused?.[position - 1] === 1;
  return Array.from(order.subarray(both ? position - 1 : position, position + 1), (word) => ({
    kind: kindOf(program, word),
    stage: stageOf(program, word),
    microbatch: microbatchOf(program, word),
  }));
}
