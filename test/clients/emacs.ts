/** The language server in Emacs, through eglot. If either is missing, the last line says so. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const script = path.join(import.meta.dirname, 'emacs.el');

/** Why Emacs cannot run this; undefined if it can. */
function problem(): string | undefined {
  const { status, error } = spawnSync('emacs', ['--batch', '--eval', "(progn (package-initialize) (require 'eglot))"]);
  if (error !== undefined) return 'there is no emacs; Debian has it as emacs-nox';
  return status === 0 ? undefined : 'this emacs has no eglot; it comes with Emacs 29, and Debian has it as elpa-eglot';
}

const missing = problem();
if (missing === undefined)
  process.exitCode =
    spawnSync('emacs', ['--batch', '-l', script], { stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
else console.log(`not run: ${missing}`);
