/**
 * What the project says of PyTorch, held to PyTorch itself. Installs PyTorch where Python lacks it; where that cannot be had either,
 * nothing runs, and the last line says why.
 */
import { runTests } from '../support/plainTests.ts';
import { findPython, stopPython } from './python.ts';
import './measured.test.ts';
import './orders.test.ts';
import './ownSchedules.test.ts';
import './script.test.ts';
import './tables.test.ts';
import { patience } from '../host/patience.ts';

const problem = findPython();
if (problem === undefined) {
  await runTests({ limitMs: patience(150_000) });
  stopPython();
} else console.log(`not run: ${problem}`);
