/** What launchers write before each line of a process: `3: ` (srun --label), `[default3]:` (torchrun --tee), `[1,3]<stdout>:` (mpirun). */
export interface PrefixOf {
  /** The process that a line is of, as the prefix names it, and the line as the process printed it. */
  (line: string): { readonly process: string; readonly text: string };
}

/** A prefix that names a process, rather than a time. */
const process = /^(?:\d+:|\[[a-z]*\d+(?:,\d+)?\]|[a-z][\w.-]*:)/i;
const logger = /[A-Z]{4,8}:[\w.]{1,80}:$/;

/** `before`: what the first line of a block of timers has before its text. All lines of a block begin alike, up to digits. */
export function prefixOf(before: string): PrefixOf {
  // A logger names itself on the first line of a message only.
  const own = before.replace(logger, '').trim();
  if (own === '') return (text) => ({ process: '', text });
  const form = own.replaceAll(/[^\w\s]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`);
  const pattern = new RegExp(String.raw`^\s*(${form.replaceAll(/\d+/g, String.raw`\d+`)})`);
  return (line) => {
    const [whole = '', found = ''] = pattern.exec(line) ?? [];
    return { process: process.exec(found)?.[0] ?? '', text: line.slice(whole.length) };
  };
}
