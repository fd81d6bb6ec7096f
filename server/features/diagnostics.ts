import {
  DiagnosticSeverity,
  DiagnosticTag,
  type Diagnostic,
  type DiagnosticRelatedInformation,
} from 'vscode-languageserver';
import { finding, type Finding } from '../../engine/findings/finding.ts';
import { toSeverity } from '../text/convert.ts';
import { locate, rangeIn, type ClientAbilities, type SyntaxView, type View } from '../view.ts';

/** All findings of a document. `docs`: uri of the folder of pages, with a slash at the end. */
export const diagnosticsOf = (view: View, docs: string | undefined, abilities: ClientAbilities): Diagnostic[] =>
  view.analysis.findings.map((found) => diagnosticOf(view, found, docs, abilities));

export function diagnosticOf(
  view: View,
  found: Finding,
  docs: string | undefined,
  abilities: ClientAbilities,
): Diagnostic {
  const related = abilities.related && found.related.length > 0;
  return {
    ...plainDiagnostic(view, found, docs),
    ...(related ? { relatedInformation: relatedOf(view, found) } : {}),
  };
}

/** For a document whose check failed: that it did, and the faults of its syntax, which are known all the same. */
export function diagnosticsOfFailure(view: SyntaxView, docs: string | undefined): Diagnostic[] {
  const failed: Diagnostic = {
    range: rangeIn(view, { start: 0, end: 0 }),
    severity: DiagnosticSeverity.Error,
    source: 'pipewright',
    message:
      'Pipewright failed to check this file, so only syntax errors are shown. See the output of the language server, and report what it says there.',
  };
  const faults = view.syntax.errors.map(({ code, start, end, message }) =>
    plainDiagnostic(view, finding(code, { uri: view.uri, start, end }, { text: message }), docs),
  );
  return [failed, ...faults];
}

function plainDiagnostic(view: SyntaxView, found: Finding, docs: string | undefined): Diagnostic {
  return {
    range: rangeIn(view, found.place),
    severity: toSeverity(found.severity),
    code: found.code,
    ...(docs === undefined ? {} : { codeDescription: { href: `${docs}diagnostics/${found.code}.md` } }),
    source: 'pipewright',
    message: found.message,
    ...(found.code === 'name/unused' ? { tags: [DiagnosticTag.Unnecessary] } : {}),
  };
}

const relatedOf = (view: View, found: Finding): DiagnosticRelatedInformation[] =>
  found.related.flatMap(({ place, message }) => {
    const location = locate(view, place);
    return location === undefined ? [] : [{ location, message }];
  });
