/** Functions of the language as an editor shows them. */
import { findFunction, findInArguments, type FunctionSchema } from '../../engine/language/functions.ts';
import type { FunctionContext } from '../../engine/language/kinds.ts';
import { parameterLabel, signatureLabel } from '../../engine/language/signatures.ts';

/** A function by the place of its call: functions of the key first, then functions of any expression. */
export const calledFunction = (context: FunctionContext, name: string): FunctionSchema | undefined =>
  findFunction(context, name) ?? findInArguments(context, name) ?? findFunction('value', name);

/** Letters of a signature that a row of a list has room for. */
const mostLetters = 80;

/** The signature with as many of its parameters as one row has room for. */
export function shortSignature(schema: FunctionSchema): string {
  const whole = signatureLabel(schema);
  if (whole.length <= mostLetters) return whole;
  const shown: string[] = [];
  for (const label of schema.parameters.map(parameterLabel)) {
    if (`${schema.name}(${[...shown, label, '…'].join(', ')})`.length > mostLetters) break;
    shown.push(label);
  }
  return `${schema.name}(${[...shown, '…'].join(', ')})`;
}
