/** The rules of prose. See "Plain English" in CONTRIBUTING.md. */
import type { Passage } from './passage.ts';
import { sentencesOf, wordsOf } from './sentences.ts';
import { teaches } from './teaches.ts';
import { avoidedWords } from './words.ts';

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Most words of a sentence. Aim for 25: the rest is room for the names of things. Pages that teach have 25. */
export const mostWords = 30;
export const mostWordsOfLesson = 25;
/** Most words of a cell of a table on a page below docs/. What is longer is a paragraph or a list. */
export const mostWordsOfCell = 25;
const mostSemicolons = 1;

/** A list of papers is no sentence. */
const isSources = (sentence: string): boolean => /^Sources?: /u.test(sentence);

function problemsOfSentence(sentence: string, most: number): readonly string[] {
  if (isSources(sentence)) return [];
  const shown = sentence.length > 70 ? `${sentence.slice(0, 70)}…` : sentence;
  const words = wordsOf(sentence);
  const semicolons = sentence.split(/;(?:\s|$)/u).length - 1;
  return [
    ...(words > most ? [`${words} words, at most ${most}: split "${shown}"`] : []),
    ...(semicolons > mostSemicolons ? [`${semicolons} semicolons: split "${shown}"`] : []),
    // "Where" opens a question. At the start of a statement it means "if".
    ...(/^Where\b[^?]*$/u.test(sentence) && words > 6 ? [`"Where": write "If", in "${shown}"`] : []),
  ];
}

export function problemsOf({ file, line, text, cell }: Passage): readonly Problem[] {
  const most = teaches(file) ? mostWordsOfLesson : mostWords;
  const long = cell === true && file.startsWith('docs/') && wordsOf(text) > mostWordsOfCell;
  const messages = avoidedWords.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map((match) => {
      const near = text.slice(Math.max(0, match.index - 25), match.index + match[0].length + 25);
      return `"${match[0].trim()}": write ${instead}, in "…${near}…"`;
    }),
  );
  const sentences = sentencesOf(text).flatMap((sentence) => problemsOfSentence(sentence, most));
  const cells = long ? [`${wordsOf(text)} words in a cell, at most ${mostWordsOfCell}`] : [];
  return [...messages, ...sentences, ...cells].map((message) => ({ file, line, message }));
}
