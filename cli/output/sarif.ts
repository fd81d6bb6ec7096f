import { catalogue, codes, type Severity } from '../../engine/findings/catalogue.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Source } from './findingText.ts';
import { jsonText } from '../../server/text/jsonText.ts';

/** Findings of one file. */
export interface Checked {
  readonly source: Source;
  /** Of the file itself. */
  readonly uri: string;
  readonly findings: readonly Finding[];
}

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

/** SARIF 2.1.0 (OASIS standard, 27 March 2020): one run, the whole catalogue as rules, columns in UTF-16 units. */
export function sarif(files: readonly Checked[], version: string): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'pipewright',
            semanticVersion: version,
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: catalogue[code].summary },
              defaultConfiguration: { level: levels[catalogue[code].severities[0]] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: files.flatMap((file) => file.findings.map((found) => result(found, file))),
      },
    ],
  };
  return jsonText(log);
}

function result(found: Finding, file: Checked) {
  const related = found.related.filter((candidate) => candidate.place.uri === file.uri);
  return {
    ruleId: found.code,
    ruleIndex: codes.indexOf(found.code),
    level: levels[found.severity],
    message: { text: found.message },
    locations: [{ physicalLocation: location(found.place, file.source) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((mention) => ({
            physicalLocation: location(mention.place, file.source),
            message: { text: mention.message },
          })),
        }),
  };
}

/** SARIF counts lines and columns from 1; `endColumn` is the column after the last character. */
function location(place: { readonly start: number; readonly end: number }, source: Source) {
  const start = source.lines.positionAt(place.start);
  const end = source.lines.positionAt(place.end);
  return {
    artifactLocation: { uri: source.path.split(/[\\/]/).map(encodeURIComponent).join('/') },
    region: {
      startLine: start.line + 1,
      startColumn: start.character + 1,
      endLine: end.line + 1,
      endColumn: end.character + 1,
    },
  };
}
