/** The job that `plan --jobs ray` writes, run by Ray. Installs Ray if Python lacks it; if it cannot be had, the last line says why. */
import { patience } from '../host/patience.ts';
import { pythonWith } from '../host/pythonWith.ts';
import { runTests } from '../support/plainTests.ts';
import { rayTests } from './ray.test.ts';

const found =
  process.platform === 'linux' ? pythonWith('Ray', ['ray'], 'ray') : { problem: 'this test ends Ray as Linux does' };
if ('problem' in found) console.log(`not run: ${found.problem}`);
else {
  rayTests(found.interpreter);
  await runTests({ limitMs: patience(150_000) });
}
