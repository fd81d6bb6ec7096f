/** Built-in orders as text: the schedules of `examples/schedules` against the policies, operation by operation, on every shape. */
import { describe, expect, it } from 'vitest';
import type { DeclaredSchedule } from '../../../engine/definitions/schedule.ts';
import { createReporter } from '../../../engine/findings/reporter.ts';
import { declaredFrom } from '../../../engine/grid/declared.ts';
import { planOf, stagesOn, unitPlan } from '../../../engine/grid/unitPlan.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { generate, programOf } from '../../../engine/schedule/generate.ts';
import { analyseExample } from '../../support/analyse.ts';

function scheduleOf(example: string): DeclaredSchedule {
  const [found] = analyseExample(example).tests;
  const declared = declaredFrom(found.test);
  if (declared === undefined) throw new Error(`${example} tests no schedule`);
  return declared.schedule;
}

/** Every shape that either takes: where the two differ. */
function differences(
  schedule: DeclaredSchedule,
  args: Readonly<Record<string, number>>,
  name: string,
  policyArgs: Readonly<Record<string, number>> = args,
  tried: readonly number[] = Array.from({ length: 64 }, (_, index) => index + 1),
): readonly string[] {
  const policy = findPolicy(name);
  if (policy === undefined) throw new Error(`there is no ${name}`);
  const found: string[] = [];
  for (let devices = 1; devices <= 16; devices += 1) {
    for (const microbatches of tried) {
      const report = createReporter('', 10);
      const definition = schedule.bind(args, report);
      if (definition === undefined) throw new Error('the schedule has errors');
      const stages = stagesOn(definition, devices, report) ?? 0;
      const made = unitPlan(definition, { devices, microbatches }, report);
      const placement = Array.from({ length: stages }, (_, stage) => stage % devices);
      const builtIn = planOf(
        { kind: 'policy', name, args: policyArgs },
        { stages, devices, microbatches },
        { placement },
      );
      const shape = shapeOf(builtIn);
      const refused = policy.check(shape).length > 0;
      const at = `p = ${devices}, m = ${microbatches}`;
      if (refused || !('plan' in made)) {
        if (refused !== 'refused' in made) found.push(`${at}: only one of them takes it`);
        continue;
      }
      const generated = generate(made.plan);
      const program = programOf(policy, shape);
      const same =
        'program' in generated &&
        generated.program.order.length === program.order.length &&
        generated.program.order.every((word, index) => word === program.order[index]) &&
        generated.program.offsets.every((offset, device) => offset === program.offsets[device]) &&
        generated.program.placement.every((device, stage) => device === program.placement[stage]);
      if (!same) found.push(`${at}: another order`);
    }
  }
  return found;
}

describe('a built-in order as text', () => {
  const interleaved = scheduleOf('schedules/interleaved.pipe');
  it.each([1, 2, 3, 4])('interleaved with %i chunks', (chunks) => {
    expect(differences(interleaved, { chunks }, 'interleaved_1f1b')).toEqual([]);
  });
  const breadth = scheduleOf('schedules/breadth-first.pipe');
  it.each([1, 2, 3, 4])('breadth first with %i chunks', (chunks) => {
    expect(differences(breadth, { chunks }, 'breadth_first')).toEqual([]);
  });
  const slices = scheduleOf('schedules/seq1f1b.pipe');
  it.each([1, 2, 3, 4])('Seq1F1B with %i parts', (k) => {
    expect(differences(slices, { k }, 'seq1f1b', { segments: k })).toEqual([]);
  });
  it('Chimera', () => {
    expect(differences(scheduleOf('schedules/chimera.pipe'), {}, 'chimera')).toEqual([]);
  });
  it('Chimera as a clock table', () => {
    expect(differences(scheduleOf('schedules/chimera-slots.pipe'), {}, 'chimera')).toEqual([]);
  });
  it.each(['half', 'min'])('V-%s as a building block', (name) => {
    // The search of the V schedules takes its time, so not every number of microbatches is tried.
    const tried = [1, 2, 3, 7, 12, 20];
    expect(differences(scheduleOf(`schedules/v-${name}.pipe`), {}, `v_${name}`, {}, tried)).toEqual([]);
  });
});
