/** The program for Ray, in Ray itself: on a machine with one CPU, and on this one as it is. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from '../support/plainTests.ts';
import { createPlace, type Ended, ended, parts, signal } from './place.ts';

/** Ray gives its parts 30 seconds to start, whatever else the machine does: then it is started again. */
async function started(start: () => Promise<Ended>): Promise<Ended> {
  const most = 4;
  for (let again = 1; ; again += 1) {
    const one = await start();
    if (one.status === 0) return one;
    assert(again < most && one.err.includes('timed out during startup'), one.err);
  }
}

/** `interpreter`: a Python that has Ray. */
export function rayTests(interpreter: string): void {
  const isPath = path.isAbsolute(interpreter);
  const variables = (folder: string, known = ''): NodeJS.ProcessEnv => ({
    ...(isPath ? { PATH: `${path.dirname(interpreter)}${path.delimiter}${known}` } : {}),
    RAY_TMPDIR: folder,
    RAY_USAGE_STATS_ENABLED: '0',
  });

  test('a program for Ray says which part was killed and why another one fails, and is one run in the end', async () => {
    const place = createPlace();
    try {
      const own = variables(place.folder, place.environment['PATH']);
      place.letGo();
      // Parts ask for four CPUs each, which this machine does not have.
      const start = await place.writeJob('ray', "the job's.py");
      assert.match(start, /^python3 /);

      const head = '--head --num-cpus=1 --port=0 --include-dashboard=false --disable-usage-stats';
      const small = await started(() => place.shell(`ray start ${head}`, own));
      const [, address] = /--address='([\d.:]+)'/.exec(small.out) ?? [];
      assert(address !== undefined, small.out);
      const onSmall = { ...own, RAY_ADDRESS: address };
      const first = ended(place.start(start, onSmall));
      const killed = await place.stoppedSearch();
      assert(signal(killed.pid, 'SIGKILL'));
      const { status, out, err } = await first;
      assert.equal(status, 1, err);
      assert.match(err, new RegExp(`^Part ${killed.part} of ${parts} ended with status -9:$`, 'm'));
      // The front so far, and what is missing.
      const half = await place.merge();
      assert.deepEqual(half.answer.missing, { absent: [], unfinished: [killed.part], of: parts });
      assert(out.includes(half.answer.certificate));

      // Without an address, a program starts Ray with all CPUs of the machine.
      const whole = await place.shell(start, { ...own, RAY_TMPDIR: path.join(place.folder, 'own') });
      assert.equal(whole.status, 0, whole.err);
      await place.expectOneRun();

      place.changeFile();
      const refused = await place.shell(start, onSmall);
      assert.equal(refused.status, 1);
      for (let part = 1; part <= parts; part += 1)
        assert.match(
          refused.err,
          new RegExp(
            `^Part ${part} of ${parts} ended with status 2:\npipewright plan: .* has rows of another search`,
            'm',
          ),
        );
    } finally {
      await place.end();
    }
  });
}
