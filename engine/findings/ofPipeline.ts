import type { BlockDeclaration, SyntaxFile } from '../../grammar/index.ts';
import type { Finding } from './finding.ts';

/** Blocks that carry the name of a pipeline: its own, and those that say more about it. */
const keywords: ReadonlySet<string> = new Set(['pipeline', 'expect', 'search']);

/** Findings of one pipeline and of the file: all but those in the blocks of other pipelines. */
export function findingsOf(name: string, { declarations }: SyntaxFile, findings: readonly Finding[]): Finding[] {
  const pipelines = new Set(
    declarations.flatMap((each) => (each.kind === 'block' && each.keyword.text === 'pipeline' ? nameOf(each) : [])),
  );
  const others = declarations.filter(
    (each): each is BlockDeclaration =>
      each.kind === 'block' &&
      keywords.has(each.keyword.text) &&
      nameOf(each).some((other) => other !== name && pipelines.has(other)),
  );
  return findings.filter(({ place }) => !others.some(({ start, end }) => place.start >= start && place.end <= end));
}

const nameOf = ({ name }: BlockDeclaration): readonly string[] => (name === undefined ? [] : [name.text]);
