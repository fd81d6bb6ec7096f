import type { Picture } from './picture.ts';

/** Whether the critical path that the page shows is the only one; undefined for long runs, of which the slack is not known. */
export function criticalPathIsOnly({ slack, critical, columns }: Picture): boolean | undefined {
  if (slack === undefined) return undefined;
  let tight = 0;
  for (let block = 0; block < slack.length; block += 1) if (columns.word[block] >= 0 && slack[block] === 0) tight += 1;
  return tight <= critical.length;
}

/** `Critical path`, and where it comes from if the iteration before decides when it begins. */
export function criticalPathWords(picture: Picture): string {
  const only = criticalPathIsOnly(picture);
  const words =
    only === undefined ? 'Critical path' : only ? 'The only critical path' : 'One of several critical paths';
  return `${words}${beforeWords(picture)}`;
}

function beforeWords({ pathBefore }: Picture): string {
  if (pathBefore === undefined) return '';
  const { layer } = pathBefore;
  return layer === undefined
    ? ', from the iteration before'
    : `, from the gradients of ${layer} in the iteration before`;
}
