import type { Picture } from './picture.ts';

/** Whether the critical path that the page shows is the only one; undefined for long runs, of which the slack is not known. */
export function criticalPathIsOnly({ slack, critical, columns }: Picture): boolean | undefined {
  if (slack === undefined) return undefined;
  let tight = 0;
  for (let block = 0; block < slack.length; block += 1) if (columns.word[block] >= 0 && slack[block] === 0) tight += 1;
  return tight <= critical.length;
}

export function criticalPathWords(picture: Picture): string {
  const only = criticalPathIsOnly(picture);
  if (only === undefined) return 'Critical path';
  return only ? 'The only critical path' : 'One of several critical paths';
}
