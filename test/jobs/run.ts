/** Jobs that `plan --jobs` writes, run by Slurm and by make. */
import { patience } from '../host/patience.ts';
import { runTests } from '../support/plainTests.ts';
import './make.test.ts';
import './slurm.test.ts';

if (process.platform === 'linux') await runTests({ limitMs: patience(150_000) });
else console.log('not run: Slurm is a program of Linux.');
