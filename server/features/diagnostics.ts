import { DiagnosticTag, type Diagnostic, type DiagnosticRelatedInformation } from 'vscode-languageserver';
import type { Finding } from '../../engine/findings/finding.ts';
import { toSeverity } from '../convert.ts';
import { locate, rangeIn, type ClientAbilities, type View } from '../view.ts';

/** All findings of a document. `docs`: uri of the folder of pages, with a slash at the end. */
export const diagnosticsOf = (view: View, docs: string | undefined, abilities: ClientAbilities): Diagnostic[] =>
  view.analysis.findings.map((found) => diagnosticOf(view, found, docs, abilities));

export function diagnosticOf(
  view: View,
  found: Finding,
  docs: string | undefined,
  abilities: ClientAbilities,
): Diagnostic {
  return {
    range: rangeIn(view, found.place),
    severity: toSeverity(found.severity),
    code: found.code,
    ...(docs === undefined ? {} : { codeDescription: { href: `${docs}diagnostics/${found.code}.md` } }),
    source: 'pipewright',
    message: found.message,
    ...(found.code === 'name/unused' ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(abilities.related && found.related.length > 0 ? { relatedInformation: relatedOf(view, found) } : {}),
  };
}

const relatedOf = (view: View, found: Finding): DiagnosticRelatedInformation[] =>
  found.related.flatMap(({ place, message }) => {
    const location = locate(view, place);
    return location === undefined ? [] : [{ location, message }];
  });
