/** Every quick fix of the examples: applied and checked again, it does what its title says and nothing else. */
import { describe, it } from 'vitest';
import { type Analysis, check } from '../../../engine/flow/check.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { exampleNames, exampleText, exampleUri } from '../../support/example.ts';
import { diskHost } from '../../support/host.ts';
import { runMultiplier } from '../../support/runMultiplier.ts';
import { checkFix } from './checkFix.ts';

/**
 * Their fixes take minutes: each trial places hundreds of devices, or plans many pipelines. They are tried with PIPEWRIGHT_RUNS=2.
 * What broken.pipe has is tried on the pages of its codes.
 */
const slow =
  runMultiplier() > 1
    ? /^$/
    : /^published\/|deepseek|^broken|^planners|^packed|^search|systems\/(bytescheduler|ddp_horovod|dear|hetpipe|p3|pace|tictac)/;

describe.each(exampleNames.filter((name) => !slow.test(name)))('%s', (name) => {
  it('has fixes that do what they say', () => {
    const known = new Map<string, Analysis>();
    const today = check({ uri: exampleUri(name), text: exampleText(name), host: diskHost, options: defaultOptions });
    const again = (text: string): Analysis => {
      const found =
        known.get(text) ??
        check({ uri: exampleUri(name), text, host: diskHost, options: defaultOptions, earlier: today });
      known.set(text, found);
      return found;
    };
    for (const finding of today.findings)
      for (const fix of fixesFor(today, finding, again)) checkFix(today, finding, fix, again);
  }, 600_000);
});
