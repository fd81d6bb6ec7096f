/** Reads `fill` of a pipeline: the model whose layers run where devices idle. */
import type { FillUse } from '../definitions/pipeline.ts';
import { type ModelDefinition } from '../definitions/model.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { evaluate } from '../language/expressions.ts';
import { valueOf, type Keys, quantityOrDefault } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';

/** The fill job; `undefined` where there is none, `'wrong'` where it has an error (reported). */
export function readFill(context: ReadContext, keys: Keys): FillUse | undefined | 'wrong' {
  const entry = keys.find('fill');
  const overhead = quantityOrDefault(context, keys, 'fill_overhead');
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  const job = value === undefined ? undefined : jobOf(context, value);
  return job === undefined || overhead === undefined ? 'wrong' : { ...job, overhead };
}

/** `NAME`, `inference(NAME)` or `training(NAME)`. */
function jobOf(context: ReadContext, value: Expression): Omit<FillUse, 'overhead'> | undefined {
  if (value.kind === 'group') return jobOf(context, value.inner);
  if (value.kind === 'call') {
    const { text } = value.callee;
    if (!context.links.has(value.callee) || (text !== 'inference' && text !== 'training')) return undefined;
    const argument = bindArguments(context, value, text, ['model'])?.get('model')?.value;
    if (argument === undefined && value.arguments.length === 0)
      context.report.report('key/missing', value, {
        key: 'model',
        block: `call to ${text}`,
        example: `fill = ${text}(NAME)`,
      });
    const model = argument === undefined ? undefined : modelOf(context, argument);
    return model === undefined ? undefined : { model, work: text };
  }
  const model = modelOf(context, value);
  return model === undefined ? undefined : { model, work: 'inference' };
}

function modelOf(context: ReadContext, value: Expression): ModelDefinition | undefined {
  if (value.kind === 'group') return modelOf(context, value.inner);
  // A name that is no model has been reported where names are linked; a model with an error, at the error.
  if (value.kind === 'name') return context.models.get(context.links.get(value) ?? '');
  const found = evaluate(context, value);
  if (found !== undefined)
    context.report.report('type/mismatch', value, {
      expected: 'the name of a model, `inference(NAME)` or `training(NAME)`',
      found: describe(found),
    });
  return undefined;
}
