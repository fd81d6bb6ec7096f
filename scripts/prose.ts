/** Lists every problem of prose: `npm run prose`, or `npm run prose -- docs/cli.md engine/findings` for some files and folders. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proseFiles, repository } from './prose/files.ts';
import { problemsOf } from './prose/lint.ts';
import { passagesOf } from './prose/passages.ts';

const wanted = process.argv.slice(2);
const chosen = proseFiles().filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)));
const problems = chosen.flatMap((file) =>
  passagesOf(file, readFileSync(join(repository, file), 'utf8')).flatMap(problemsOf),
);
for (const { file, line, message } of problems) console.log(`${file}:${line} ${message}`);
console.log(`${problems.length} problems in ${chosen.length} files`);
process.exitCode = problems.length === 0 ? 0 : 1;
