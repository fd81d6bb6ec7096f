/** Functions of the language as an editor shows them. */
import {
  findFunction,
  findInArguments,
  type FunctionParameter,
  type FunctionSchema,
} from '../../engine/language/functions.ts';
import type { FunctionContext } from '../../engine/language/kinds.ts';

/** A function by the place of its call: functions of the key first, then functions of any expression. */
export const calledFunction = (context: FunctionContext, name: string): FunctionSchema | undefined =>
  findFunction(context, name) ?? findInArguments(context, name) ?? findFunction('value', name);

export const parameterLabel = (parameter: FunctionParameter): string =>
  parameter.optional
    ? `${parameter.name}${parameter.default === undefined ? '?' : ` = ${parameter.default}`}`
    : parameter.name;

export const signatureLabel = (schema: FunctionSchema): string =>
  `${schema.name}(${schema.parameters.map(parameterLabel).join(', ')}${schema.rest === true ? ', …' : ''})`;
