import type { Run } from '../schedule/evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { versionsOf } from '../simulate/versions.ts';

/** Stages named in a message. */
const named = 8;

/**
 * For an asynchronous schedule: `schedule/missing-version` if an operation needs weights that are not there yet, otherwise
 * `schedule/stale-weights`.
 */
export function weightFindings(plan: PipelinePlan, { program, report }: Run): PlanFinding[] {
  const versions = versionsOf(program);
  const { asynchronous } = report;
  if (versions === undefined || asynchronous === undefined) return [];
  const at = paths.key(plan.name, 'schedule');
  const [missing] = versions.missing;
  if (missing !== undefined) {
    const { stage, microbatch, version, newest } = missing;
    const name = plan.stages[stage].name;
    return [
      planFinding(
        'schedule/missing-version',
        at,
        { rule: versions.rule, stage: name, microbatch, version, newest },
        { hint: { kind: 'tune', pipeline: plan.name } },
      ),
    ];
  }
  return [
    planFinding(
      'schedule/stale-weights',
      at,
      {
        rule: versions.rule,
        stages: report.stages.slice(0, named),
        more: Math.max(0, report.stages.length - named),
        bytes: report.devices.reduce((most, device) => Math.max(most, device.memory.versions), 0),
        inconsistent: report.stages.some((stage) => stage.inconsistent === true),
        unsteady: !asynchronous.steady,
      },
      { hint: { kind: 'tune', pipeline: plan.name } },
    ),
  ];
}
