/** The path of a file as a file in `folder` would write it; both are paths or uris of one disk. */
export function relativePath(folder: string, file: string): string {
  const from = folder.split('/');
  const parts = file.split('/');
  let same = 0;
  while (same < from.length && same < parts.length - 1 && from[same] === parts[same]) same += 1;
  return [...from.slice(same).map(() => '..'), ...parts.slice(same)].join('/');
}

/** What a path has before its last slash. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
