/** Reads `offload` of a pipeline: activations that go to the host. */
import type { ActivationOffload } from '../definitions/pipeline.ts';
import type { Expression } from '../../grammar/syntax.ts';
import { calleeOf } from '../language/callee.ts';
import { evaluate, wholeNumber } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { readLink } from './link.ts';

const example = 'activations(layers = 4)';

/** `activations(layers = 20)`, `activations(layers = 20, link = 48GB/s)`; `'wrong'` where it has an error (reported). */
export function readOffload(context: ReadContext, keys: Keys): ActivationOffload | undefined | 'wrong' {
  const entry = keys.find('offload');
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  return (value === undefined ? undefined : offloadOf(context, value)) ?? 'wrong';
}

function offloadOf(context: ReadContext, value: Expression): ActivationOffload | undefined {
  if (value.kind === 'group') return offloadOf(context, value.inner);
  const name = calleeOf(value);
  if (name === undefined) {
    const found = evaluate(context, value);
    if (found !== undefined)
      context.report.report('type/mismatch', value, { expected: `\`${example}\``, found: describe(found) });
    return undefined;
  }
  if (name.text !== 'activations' || !context.links.has(name)) return undefined;
  const bound = value.kind === 'call' ? bindArguments(context, value, 'activations', ['layers', 'link']) : new Map();
  if (bound === undefined) return undefined;
  const written = { layers: bound.get('layers'), link: bound.get('link') };
  if (written.layers === undefined) {
    context.report.report('key/missing', value, { key: 'layers', block: 'call to activations', example });
    return undefined;
  }
  const layers = wholeNumber(context, written.layers.value, '"layers"', { min: 1 });
  const link = written.link === undefined ? undefined : readLink(context, written.link.value);
  if (layers === undefined || (written.link !== undefined && link === undefined)) return undefined;
  if (link !== undefined && link.sharing !== 'full') {
    context.report.report('type/mismatch', written.link?.value ?? value, {
      expected: 'a link with two directions, which one device has for itself, such as `48GB/s + 6us`',
      found: `\`${link.sharing}(…)\``,
    });
    return undefined;
  }
  return {
    layers,
    ...(link === undefined ? {} : { link: { bandwidth: link.bandwidth, latency: link.latency } }),
    at: written.layers.value,
  };
}
