import { bareShape } from '../../engine/policies/shape.ts';
import type { Policy, Shape } from '../../engine/policies/policy.ts';
import { parametersOf } from '../../engine/policies/parameters.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { toStandardUri, virtualScheme } from './convert.ts';
import { scheduleUri, standardText } from '../../engine/std/index.ts';

/**
 * Text of a read-only document that a definition led to; undefined if there is none such. It is a file that comes with the product, a
 * built-in policy as a `schedule`, or its description in comments if the language cannot express it.
 */
export function virtualText(uri: string): string | undefined {
  const standard = toStandardUri(uri);
  if (standard !== undefined) return standardText(standard);
  const name = virtualName(uri);
  const policy = name === undefined ? undefined : findPolicy(name.replace(/\.pipe$/, ''));
  return policy === undefined ? undefined : (standardText(scheduleUri(policy.name) ?? '') ?? written(policy));
}

/** `std/hardware.pipe`, `1f1b.pipe`: the name of a read-only document; undefined for other addresses, and names that no file may have. */
export function virtualName(uri: string): string | undefined {
  const name = new RegExp(`^${virtualScheme}/{0,3}([^?#]+)$`).exec(uri)?.[1];
  return name !== undefined && /^(?:\w+\/)*\w+\.pipe$/.test(name) ? name : undefined;
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
