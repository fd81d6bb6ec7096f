/** Rules of make, in GNU make itself. */
import assert from 'node:assert/strict';
import { test } from '../support/plainTests.ts';
import { createPlace, ended, parts } from './place.ts';

test('rules of make that are killed half-way are one run in the end', async () => {
  const place = createPlace();
  try {
    const line = await place.writeJob('make', "the job's.mk");
    assert.match(line, /^make -j -f /);
    const start = line.replace('-j', '-j2');

    const first = place.start(start);
    const end = ended(first);
    const stopped = await place.stoppedSearch();
    assert(first.pid !== undefined && process.kill(-first.pid, 'SIGKILL'));
    assert.equal((await end).status, null);
    const half = await place.merge();
    assert.equal(half.status, 1);
    assert(half.answer.missing?.unfinished.includes(stopped.part));
    assert(half.answer.missing?.absent.includes(parts));

    place.letGo();
    const { status, out, err } = await place.shell(start);
    assert.equal(status, 0, err);
    const { answer } = await place.merge();
    assert(out.includes(answer.certificate));
    await place.expectOneRun();
  } finally {
    await place.end();
  }
});
