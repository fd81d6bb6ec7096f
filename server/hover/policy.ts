import { explanation } from '../../engine/flow/explanation.ts';
import { findFunction } from '../../engine/language/functions.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { paths } from '../../engine/values/plan.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { holds } from '../text/convert.ts';
import type { View } from '../view.ts';
import { functionText } from './language.ts';
import { sections } from './markdown.ts';

/** What a built-in policy does, with the numbers of the pipeline around it. */
export function policyText(
  view: View,
  name: string,
  offset: number,
  docs: string | undefined,
  searches: Searches,
): string {
  const policy = findPolicy(name);
  const schema = findFunction('schedule', name);
  if (policy === undefined || schema === undefined) return '';
  const plan = planAt(view, name, offset);
  const numbers = plan === undefined ? [] : (searches.answer(explanation, plan) ?? []);
  return sections(
    functionText(schema, undefined),
    numbers.length === 0
      ? undefined
      : `In \`${plan?.name ?? ''}\`:\n\n${numbers.map((line) => `- ${line}`).join('\n')}`,
    docs === undefined ? undefined : `[Definition and drawing](${docs}schedules/${policy.page}.md#${policy.name})`,
  );
}

/** The pipeline whose text holds the offset, where its schedule is this policy. */
function planAt(view: View, policy: string, offset: number): PipelinePlan | undefined {
  const { origins, plan } = view.analysis.resolution;
  const block = view.syntax.declarations.find(
    (declaration) => declaration.kind === 'block' && holds(declaration, offset),
  );
  return plan.pipelines.find((pipeline) => {
    const place = origins.get(paths.pipeline(pipeline.name));
    const inside = block !== undefined && place?.uri === view.uri && holds(block, place.start);
    return inside && pipeline.schedule.kind === 'policy' && pipeline.schedule.name === policy;
  });
}
