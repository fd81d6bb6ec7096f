/** Loaded by the editor's extension host: runs the tests and tells how they went. */
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { patience } from '../host/patience.ts';

export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: 'tdd',
    color: false,
    timeout: patience(60_000),
    reporter: 'spec',
    forbidPending: true,
    grep: process.env['PIPEWRIGHT_TESTS'] ?? '',
  });
  // Gives `suite` and `test` to the files that follow.
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./insert.test.ts');
  await import('./help.test.ts');
  await import('./manifest.test.ts');
  await import('./diagnostics.test.ts');
  await import('./export.test.ts');
  await import('./features.test.ts');
  await import('./following.test.ts');
  await import('./links.test.ts');
  await import('./pages.test.ts');
  await import('./policyDocuments.test.ts');
  await import('./recordedRun.test.ts');
  await import('./preview.test.ts');
  await import('./server.test.ts');
  await import('./tasks.test.ts');
  await new Promise<void>((resolve, reject) => {
    const runner = mocha.run((failures) => {
      const report = process.env['VSCODE_TEST_REPORT'];
      if (report !== undefined) writeFileSync(report, JSON.stringify(runner.stats));
      if (failures > 0) reject(new Error(`${failures} tests failed`));
      else resolve();
    });
  });
}
