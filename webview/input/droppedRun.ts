/** Files of a run that are dropped on the page: the editor reads them. */

/** What the explorer of the editor gives, and what other programs give. */
const kinds = ['application/vnd.code.uri-list', 'text/uri-list'] as const;
const mostFiles = 100;

/** `dropped` hears of uris. */
export function droppedRun(target: HTMLElement, dropped: (uris: readonly string[]) => void): void {
  target.addEventListener('dragover', (event) => {
    const types = event.dataTransfer?.types ?? [];
    if (kinds.some((kind) => types.includes(kind))) event.preventDefault();
  });
  target.addEventListener('drop', (event) => {
    const lists = kinds.map((kind) => event.dataTransfer?.getData(kind) ?? '');
    const uris = urisIn(lists.find((list) => list !== '') ?? '');
    if (uris.length === 0) return;
    event.preventDefault();
    dropped(uris);
  });
}

/** One uri a line; lines after `#` are comments (RFC 2483). A `.pipe` file is no run. */
export const urisIn = (list: string): readonly string[] =>
  list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('file:') && !line.endsWith('.pipe'))
    .slice(0, mostFiles);
