/** Files that grow from step to step of a page. */

const begins = /^(?:import|model|device|cluster|param|let|schedule|pipeline|expect|job)\b/;

/** Declarations of a file, each with the comments above it, by keyword and name; of an import by its path. */
function declarations(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let name = '';
  let comments = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('//')) comments += `${line}\n`;
    else {
      if (begins.test(line))
        name = line.startsWith('import') ? (/"[^"]*"/.exec(line)?.[0] ?? line) : line.split(/ *[{=]/)[0];
      if (line !== '') found.set(name, `${found.get(name) ?? ''}${comments}${line}\n`);
      comments = '';
    }
  }
  return found;
}

/** A file with declarations that are new, or replace its own. */
export const changed = (before: string | undefined, declared: string): string =>
  [...new Map([...declarations(before ?? ''), ...declarations(declared)]).values()].join('\n');
