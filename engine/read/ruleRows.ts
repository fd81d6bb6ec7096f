/** Which operations of the schedule a rule runs on each device, in no order: the rule decides that. */
import type { PlacedNumbers } from '../definitions/scheduleEvaluator.ts';
import { nothing, pack } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import type { Frame } from '../sequences/frame.ts';
import { declaredPlaces } from './declaredPlaces.ts';
import type { DeclaredOperation } from './operations.ts';

/**
 * One operation for each stage and microbatch; with `on(j)`, which knows no stage, one for each number. A device below 0 leaves one
 * out. `undefined` where a device is wrong (reported).
 */
export function ruleRows(
  frame: Frame,
  declared: readonly DeclaredOperation[],
  numbers: PlacedNumbers,
): readonly RowPlan[] | undefined {
  const { microbatches, iterations = 1 } = numbers;
  const entries = declared.map((operation) => {
    const { name, on, stage } = operation;
    const ofStages = on === undefined || on.slots.some(([, of]) => of === 's');
    return { operation, name, at: { stage: ofStages ? stage : undefined } };
  });
  const places = declaredPlaces(
    frame,
    { entries },
    { ...numbers, microbatches: microbatches * iterations },
    (item, stage, microbatch) => {
      const { on } = declared[item];
      if (on === undefined) return 0;
      for (const [slot, of] of on.slots) frame.slots[slot] = of === 'j' ? microbatch : stage;
      return on.code.at(frame) < 0 ? -1 : 0;
    },
  );
  return places?.map((list) => ({
    kinds: pack(list.map(({ item }) => declared[item].kind)),
    stages: pack(list.map(({ stage }) => stage)),
    microbatches: pack(list.map(({ microbatch }) => microbatch)),
    items: list.length === 0 ? nothing : pack(list.map(({ item }) => item)),
  }));
}
