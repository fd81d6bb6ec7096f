import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where tests build the command; the process that runs them deletes it at its end. */
export const commandFolder = path.join(tmpdir(), `pipewright-command-${process.pid}`);
