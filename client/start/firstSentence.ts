/** The first sentence of the comment at the top of a file; empty if it begins with something else. */
export function firstSentence(text: string): string {
  const [comment] = /^(?:\/\/\/?.*\r?\n)+/.exec(text) ?? [''];
  const words = comment
    .split(/\r?\n/)
    .map((line) => line.replace(/^\/{2,3} ?/, ''))
    .join(' ')
    .trim();
  return /^.*?[.:](?= |$)/.exec(words)?.[0].replace(/:$/, '.') ?? words;
}
