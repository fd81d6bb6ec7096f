/** Functions of the language as they are written, with their defaults. */
import type { FunctionParameter, FunctionSchema } from './functionRow.ts';

export const parameterLabel = (parameter: FunctionParameter): string =>
  parameter.optional
    ? `${parameter.name}${parameter.default === undefined ? '?' : ` = ${parameter.default}`}`
    : parameter.name;

export const signatureLabel = (schema: FunctionSchema): string =>
  `${schema.name}(${schema.parameters.map(parameterLabel).join(', ')}${schema.rest === true ? ', …' : ''})`;
