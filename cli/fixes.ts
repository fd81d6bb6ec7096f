/** Quick fixes on the command line are the same as in the editor, with their simulated effect. */
import { check } from '../engine/flow/check.ts';
import type { Code } from '../engine/findings/catalogue.ts';
import { type Finding, parametersOf } from '../engine/findings/finding.ts';
import { safeCodes } from '../engine/fixes/all.ts';
import { type Fix, fixesFor } from '../engine/fixes/fix.ts';
import { type Again, apply, shownTitle } from '../engine/fixes/proposal.ts';
import { format, type SyntaxFile } from '../grammar/index.ts';
import type { Analysed, Setting } from './analyse.ts';
import { diskHost } from './host.ts';

/** A text is checked once, though several findings may try it. */
function checker({ analysis }: Analysed, { io, overrides, options }: Setting): Again {
  // What was measured is a run of the file as it is, so no other text is compared with it.
  const host = diskHost({ ...io, runs: undefined }, analysis.uri);
  const known = new Map<string, ReturnType<Again>>();
  return (text) => {
    const found = known.get(text) ?? check({ uri: analysis.uri, text, host, options, overrides, earlier: analysis });
    known.set(text, found);
    return found;
  };
}

/** Fixes of each finding of a file, best first. */
export function fixesIn(file: Analysed, setting: Setting): ReadonlyMap<Finding, readonly Fix[]> {
  const again = checker(file, setting);
  return new Map(
    file.analysis.findings.map((finding) => {
      setting.progress.tick(`${file.name}: fixes of ${finding.code}`);
      return [finding, fixesFor(file.analysis, finding, again)];
    }),
  );
}

/** A file of the language that does not exist is misspelt. Another one may be yet to come. */
const isSafe = (finding: Finding): boolean =>
  safeCodes.includes(finding.code) || parametersOf(finding, 'import/not-found')?.path.startsWith('std:') === true;

/** A file after fixes, and what they did. */
export interface Fixed {
  readonly file: Analysed;
  /** Titles, in the order in which the fixes were made. */
  readonly titles: readonly string[];
}

/**
 * The preferred fix of each finding with the code; without a code, fixes that have no alternative as an
 * editor makes them when it saves a file. Each fix is found in the text that the one before has made.
 */
export function withFixes(file: Analysed, code: Code | undefined, setting: Setting): Fixed {
  const again = checker(file, setting);
  const isMeant = (finding: Finding) =>
    finding.place.uri === file.analysis.uri && (code === undefined ? isSafe(finding) : finding.code === code);
  const most = file.analysis.findings.filter(isMeant).length;
  const titles: string[] = [];
  let { analysis } = file;
  const next = (): Fix | undefined => {
    for (const finding of analysis.findings.filter(isMeant)) {
      setting.progress.tick(`${file.name}: fixes of ${finding.code}`);
      const found = fixesFor(analysis, finding, again);
      const best = found.find((fix) => (code === undefined ? fix.unambiguous : fix.preferred));
      if (best !== undefined) return best;
    }
    return undefined;
  };
  while (titles.length < most) {
    const fix = next();
    if (fix === undefined) break;
    titles.push(shownTitle(fix));
    analysis = again(apply(analysis.syntax.text, fix.edits));
  }
  if (titles.length === 0) return { file, titles };
  const { io, overrides, options } = setting;
  const { uri, syntax } = analysis;
  const host = diskHost(io, uri);
  const text = inLayoutOf(file.analysis.syntax, syntax);
  const whole = check({ uri, text, host, options, overrides, earlier: analysis });
  return { file: { ...file, text, analysis: whole }, titles };
}

/** The fixed text, in the canonical layout if the file was in it. */
function inLayoutOf(before: SyntaxFile, after: SyntaxFile): string {
  const [was, is] = [format(before), format(after)];
  return was.ok && was.text === before.text && is.ok ? is.text : after.text;
}
