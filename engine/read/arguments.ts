import { spellingHint } from '../findings/reporter.ts';
import { argumentMeant } from '../language/otherNames.ts';
import type { Argument, Call, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';

/**
 * Arguments of a call by parameter: named ones by their name, the others in order. Unknown names, names given twice and
 * arguments too many are reported, and give `undefined`.
 */
export function bindArguments(
  context: ReadContext,
  call: Call,
  owner: string,
  parameters: readonly string[],
  /** What to write for a parameter that is not one of these, if that is known. */
  adviceFor: (name: string, argument: Argument) => string | undefined = () => undefined,
): ReadonlyMap<string, Argument> | undefined {
  const bound = new Map<string, Argument>();
  let next = 0;
  let wrong = false;
  for (const argument of call.arguments) {
    // While an argument is being written. The parser has said that a value is missing.
    if (argument.name === undefined && argument.value.kind === 'missing') continue;
    const name = argument.name?.text ?? parameters[next];
    if (argument.name === undefined) next += 1;
    if (name === undefined) {
      context.report.report('type/mismatch', argument, {
        expected: `${owner} with at most ${parameters.length} ${parameters.length === 1 ? 'argument' : 'arguments'}`,
        found: String(call.arguments.length),
      });
      return undefined;
    }
    if (argument.name !== undefined && !parameters.includes(name)) {
      const advice = adviceFor(name, argument);
      const near =
        advice === undefined
          ? (argumentMeant(name, parameters) ?? context.report.nearest(name, parameters))
          : undefined;
      context.report.report(
        'key/unknown',
        argument.name,
        { key: name, block: `call to ${owner}`, nearest: near, ...(advice === undefined ? {} : { advice }) },
        { hint: spellingHint(near) },
      );
      wrong = true;
    } else if (bound.has(name) && argument.name === undefined && isUnknownName(context, argument.value)) {
      // The first letters of a parameter's name, most likely; that they mean nothing has been reported.
      wrong = true;
    } else if (bound.has(name)) {
      context.report.report('key/duplicate', argument.name ?? argument, { key: name, block: `call to ${owner}` });
      wrong = true;
    } else bound.set(name, argument);
  }
  return wrong ? undefined : bound;
}

const isUnknownName = ({ links }: ReadContext, value: Expression): boolean =>
  value.kind === 'name' && !links.has(value);

/** Whether a call has an argument that is being written, or no end. That is reported, and what is missing may be yet to come. */
export const isHalfWritten = (context: ReadContext, { callee, arguments: given }: Call): boolean =>
  given.some(({ name, value }) => value.kind === 'missing' || (name === undefined && isUnknownName(context, value))) ||
  context.syntax.errors.some(({ opened }) => opened?.start === callee.end);
