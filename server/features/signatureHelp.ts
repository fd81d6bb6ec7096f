import { MarkupKind, type SignatureHelp, type SignatureHelpParams } from 'vscode-languageserver';
import type { FunctionParameter, FunctionSchema } from '../../engine/language/functions.ts';
import { parameterText } from '../../engine/language/functionRow.ts';
import { functionContext } from '../../engine/language/kinds.ts';
import { toOffset } from '../text/convert.ts';
import { cursorAt, nestingAt, valueSchemaOf, type CallAt } from '../text/cursor.ts';
import { parameterLabel, signatureLabel } from '../../engine/language/signatures.ts';
import { calledFunction } from '../text/signatures.ts';
import { ownFunction } from '../ownFunctions.ts';
import type { View } from '../view.ts';

/** The call around the cursor and which of its parameters is being written. */
export function signatureHelp(view: View, params: SignatureHelpParams): SignatureHelp | null {
  const cursor = cursorAt(view.syntax, toOffset(view.lines, params.position));
  if (cursor === undefined) return null;
  const from = cursor.entry?.start ?? cursor.blocks.at(-1)?.body.start ?? cursor.declaration?.start ?? 0;
  const context = functionContext(valueSchemaOf(cursor));
  for (const call of nestingAt(view.syntax, cursor.index, from).calls) {
    const schema = ownFunction(view, call.callee) ?? calledFunction(context, call.callee.text);
    if (schema !== undefined) return help(schema, call, view.syntax.text.slice(cursor.word.start, cursor.offset));
  }
  return null;
}

/** `word`: what is written of the word at the cursor. */
function help(schema: FunctionSchema, call: CallAt, word: string): SignatureHelp {
  const active = activeParameter(schema, call, word);
  const shown = shownParameters(schema, call, active);
  const cut = shown.length < schema.parameters.length;
  return {
    signatures: [
      {
        label: signatureLabel(cut ? { ...schema, parameters: shown, rest: true } : schema),
        documentation: { kind: MarkupKind.Markdown, value: schema.doc },
        parameters: shown.map((parameter) => ({
          label: parameterLabel(parameter),
          documentation: { kind: MarkupKind.Markdown, value: parameterText(parameter) },
        })),
      },
    ],
    activeSignature: 0,
    activeParameter: cut ? placeIn(shown, schema.parameters[active]) : active,
  };
}

/** A longer signature fills the box, and hides the text below it. Then the first ones are shown. */
const mostWhole = 16;
const mostShown = 8;

/** Of a long signature: what is needed, what is written and the parameter at the cursor, then the first of the others. */
function shownParameters(
  { parameters }: FunctionSchema,
  { given }: CallAt,
  active: number,
): readonly FunctionParameter[] {
  if (parameters.length <= mostWhole) return parameters;
  const first = parameters.filter(
    (parameter, at) => !parameter.optional || at === active || given.includes(parameter.name),
  );
  const others = parameters.filter((parameter) => !first.includes(parameter));
  const kept = new Set([...first, ...others.slice(0, Math.max(0, mostShown - first.length))]);
  return parameters.filter((parameter) => kept.has(parameter));
}

/** The index after the last parameter shows none as active. */
const placeIn = (shown: readonly FunctionParameter[], active: FunctionParameter | undefined): number =>
  active === undefined ? shown.length : shown.indexOf(active);

/**
 * A named argument belongs to the parameter of that name, whatever its position. What follows a named argument is the name of another, so
 * its position says nothing: the word begins a name that is not given yet, or none is active. The index after the last parameter shows none
 * as active.
 */
function activeParameter(schema: FunctionSchema, call: CallAt, word: string): number {
  const [first, second] = call.argument;
  const named = second?.text === '=' ? schema.parameters.findIndex((parameter) => parameter.name === first?.text) : -1;
  if (named >= 0) return named;
  if (call.given.length > 0 && schema.rest !== true) {
    const begun = schema.parameters.findIndex(
      ({ name }) => word !== '' && name.startsWith(word) && !call.given.includes(name),
    );
    return begun < 0 ? schema.parameters.length : begun;
  }
  return schema.rest === true ? Math.min(call.position, schema.parameters.length - 1) : call.position;
}
