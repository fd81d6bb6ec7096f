import type { Analysis } from '../check.ts';
import type { Finding } from '../findings/finding.ts';
import type { Again, Proposal } from './proposal.ts';
import { apply } from './proposal.ts';

/** Another spelling of the text at the finding. Offered if the same finding does not come back. */
export function spellingFixes(
  analysis: Analysis,
  finding: Finding,
  suggestions: readonly string[],
  again: Again,
): readonly Proposal[] {
  const { start, end } = finding.place;
  return suggestions
    .filter((text) => {
      const after = again(apply(analysis.syntax.text, [{ start, end, text }]));
      return !after.findings.some(({ code, place }) => code === finding.code && place.start === start);
    })
    .map((text, index) => ({
      title: `Change to ${quoted(text)}`,
      edits: [{ start, end, text }],
      preferred: index === 0,
    }));
}

const quoted = (text: string): string => (text.startsWith('"') ? text : `"${text}"`);
