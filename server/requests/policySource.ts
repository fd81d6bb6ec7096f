import { bareShape } from '../../engine/policies/shape.ts';
import type { Policy, Shape } from '../../engine/policies/policy.ts';
import { parametersOf } from '../../engine/policies/parameters.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import type { PolicySourceAnswer } from '../../webview/protocol/requests.ts';
import { toStandardUri, virtualScheme } from '../text/convert.ts';
import { scheduleUri, standardText } from '../../engine/std/index.ts';

/**
 * Text of a read-only document: a built-in policy as a `schedule`, or a description in comments if it has no text.
 */
export function policySource(uri: string): PolicySourceAnswer {
  const standard = toStandardUri(uri);
  if (standard !== undefined) {
    const text = standardText(standard);
    return text === undefined ? null : { text };
  }
  const name = uri.startsWith(virtualScheme)
    ? /^\/{0,3}([^/]+)\.pipe$/.exec(uri.slice(virtualScheme.length))?.[1]
    : undefined;
  const policy = name === undefined ? undefined : findPolicy(decodeURIComponent(name));
  if (policy === undefined) return null;
  return { text: standardText(scheduleUri(policy.name) ?? '') ?? written(policy) };
}

function written(policy: Policy): string {
  const shape = exampleShape(policy);
  const numbers =
    policy.check(shape).length > 0
      ? []
      : [
          '',
          `With ${shape.devices} devices, ${shape.stages} stages, ${shape.microbatches} microbatches, F = 1 ms and B = 2 ms:`,
          ...policy.explain(shape),
        ];
  const parameters = parametersOf(policy).map((parameter) => `${parameter.name}: ${parameter.summary}`);
  const head = [policy.summary, ...(parameters.length > 0 ? ['', ...parameters] : []), ...numbers];
  const comments = head.map((line) => `// ${line}`.trimEnd()).join('\n');
  return `${comments}\n//\n// ${policy.name} is built in. The schedule language cannot express it.\n`;
}

/** Four devices, eight microbatches, equal stages. */
function exampleShape(policy: Policy): Shape {
  const chunks = policy.chunks({});
  const stages = 4 * chunks;
  const each = (seconds: number) => new Float64Array(stages).fill(seconds);
  const replicas = new Int32Array(stages).fill(1);
  return {
    ...bareShape({ devices: 4, stages, chunks, microbatches: 8, iterations: 1, args: {}, replicas }),
    forward: each(1e-3),
    backwardInput: each(1e-3),
    backwardWeight: each(1e-3),
  };
}
