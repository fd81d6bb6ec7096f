import type { Severity } from '../../engine/findings/catalogue.ts';
import { printable } from '../../server/text/printable.ts';
import type { Checked } from './sarif.ts';

const commands: Readonly<Record<Severity, 'error' | 'warning' | 'notice'>> = {
  error: 'error',
  warning: 'warning',
  information: 'notice',
  hint: 'notice',
};

/** Workflow commands of GitHub Actions, one line a finding: they become annotations of the lines. */
export function githubLines(file: Checked): string {
  return file.findings
    .map((found) => {
      const start = file.source.lines.positionAt(found.place.start);
      const end = file.source.lines.positionAt(found.place.end);
      // A range over several lines must not have columns.
      const columns = start.line === end.line ? [`col=${start.character + 1}`, `endColumn=${end.character + 1}`] : [];
      const properties = [
        `file=${property(file.source.path)}`,
        `line=${start.line + 1}`,
        `endLine=${end.line + 1}`,
        ...columns,
        `title=${property(found.code)}`,
      ];
      return `::${commands[found.severity]} ${properties.join(',')}::${message(found.message)}\n`;
    })
    .join('');
}

// https://docs.github.com/actions/reference/workflow-commands-for-github-actions: `%`, CR and LF are escaped, in properties `:` and `,` too.
const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const message = (text: string): string => escaped(printable(text));
/** Line breaks of a name are kept, so that the name matches the file; other controls would reach the log. */
const property = (text: string): string => printable(escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C'));
