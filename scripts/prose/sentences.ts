/** Abbreviations that end with a stop but do not end a sentence. */
const abbreviation = /(?:\b(?:e\.g|i\.e|al|vs|Fig|Eq|Sec|Tab|No|cf|pp|approx|etc)|\b[A-Z])\.$/;

/** Sentences of a passage. One ends at a stop that a capital, a digit, a quote, a bracket or code follows. */
export function sentencesOf(text: string): readonly string[] {
  const pieces = text.split(/(?<=[.?!][)"”’*_]*)\s+(?=["“‘(*_[]*[\p{Lu}\p{N}§])/u);
  const sentences: string[] = [];
  for (const piece of pieces) {
    const before = sentences.at(-1);
    if (before !== undefined && abbreviation.test(before)) sentences[sentences.length - 1] = `${before} ${piece}`;
    else sentences.push(piece);
  }
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

/** Words of a sentence; numbers, symbols and operators are not words. Code counts as one, and so does a list of code. */
export const wordsOf = (sentence: string): number =>
  sentence
    .replaceAll(/§(?:,? (?:and |or )?§)+/gu, '§')
    .split(/\s+/u)
    .filter((word) => /\p{L}{2}|\bI\b|\ba\b|§/u.test(word)).length;
