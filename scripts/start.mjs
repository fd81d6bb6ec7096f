/** `npm start`: from a fresh clone to the editor with the extension, opened on `examples/`. */
import { run } from './run.mjs';
import { setup } from './setup.mjs';

setup();
run('start.ts');
