/**
 * Pages that go step by step: files, then commands with what they print. ```` ```pipe train.pipe ```` is a file,
 * ```` ```pipe train.pipe change ```` the declarations of it that change or are new. ```` ```console ```` has commands behind `$`,
 * each with its output: `…` on a line leaves out any lines. ```` ```console fails ```` has commands with another exit status than 0.
 */
import { changed } from '../../../scripts/site/lessonFile.ts';
import { blocks, textOf } from './pages.ts';

interface FileStep {
  readonly name: string;
  readonly text: string;
  readonly change: boolean;
}
interface Command {
  readonly place: string;
  readonly words: readonly string[];
  /** Pieces of what it prints, in order; the first and the last are empty where lines are left out there. */
  readonly shown: readonly string[];
  readonly fails: boolean;
}
export type Step = FileStep | Command;

const trimmed = (text: string): string => text.replaceAll(/[^\S\n]+$/gm, '');

/** Pages that have steps, of those that teach. */
export const lessonsIn = (pages: readonly string[]): readonly string[] =>
  pages.filter(
    (page) =>
      /^docs\/(?:learn|do|understand)\/|^README\.md$/.test(page) && stepsOf(page).some((step) => 'words' in step),
  );

export function stepsOf(page: string): readonly Step[] {
  const text = textOf(page);
  // A page whose commands have a test of their own marks them otherwise.
  if (blocks(text, 'console').length > 0 && !/^```\w+ [\w./-]+\.\w+(?: change)?$/m.test(text)) return [];
  return [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].flatMap((match): readonly Step[] => {
    const [, info, body] = match;
    const file = /^\w+ ([\w./-]+\.\w+)( change)?$/.exec(info);
    if (file !== null) return [{ name: file[1], text: body, change: file[2] !== undefined }];
    if (info !== 'console' && info !== 'console fails') return [];
    const place = `${page}:${text.slice(0, match.index).split('\n').length}`;
    return body
      .split(/^\$ /m)
      .slice(1)
      .map((call): Command => {
        const [command = '', ...lines] = call.split('\n');
        const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
        const shown = trimmed(lines.join('\n').trimEnd()).split(/^…$\n?/m);
        return { place, words, shown: shown.map((piece) => piece.trimEnd()), fails: info === 'console fails' };
      });
  });
}

/** What is left of the output behind the shown pieces, or the first piece that is not there. */
export function unmatched({ shown }: Command, output: string): string | undefined {
  const text = trimmed(output).trimEnd();
  if (shown.length === 1) return shown[0] === text ? undefined : (shown[0] ?? '');
  let at = 0;
  for (const [index, piece] of shown.entries()) {
    if (piece === '') continue;
    const found = `\n${text}\n`.indexOf(`\n${piece}\n`, at);
    if (found < 0 || (index === 0 && found > 0)) return piece;
    at = found + piece.length;
  }
  const last = shown.at(-1) ?? '';
  return last === '' || text.endsWith(last) ? undefined : last;
}

/** A file after a step. */
export const written = (before: string | undefined, { text, change }: FileStep): string =>
  change ? changed(before, text) : text;
