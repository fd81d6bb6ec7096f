/** An array of Slurm, in Slurm itself. */
import assert from 'node:assert/strict';
import { test } from '../support/plainTests.ts';
import { startCluster } from './cluster.ts';
import { createPlace, parts, signal, until } from './place.ts';

test('an array of Slurm that is killed, cancelled and requeued is one run in the end', async () => {
  const place = createPlace();
  try {
    const { environment } = await startCluster(place);
    const slurm = async (line: string): Promise<string> => {
      const { status, out, err } = await place.shell(line, environment);
      assert.equal(status, 0, err);
      return out.trim();
    };
    const submit = async (line: string): Promise<string> => {
      const [, id] = /^Submitted batch job (\d+)$/.exec(await slurm(line)) ?? [];
      assert(id !== undefined);
      return id;
    };
    /** Of tasks, those that have ended included. */
    const states = async (id: string): Promise<readonly string[]> =>
      (await slurm(`squeue --noheader --array --states=all --job=${id} --format=%T`)).split('\n');
    const start = await place.writeJob('slurm', "the job's.sh", '--threads', '1');

    const first = await submit(start);
    const killed = await place.stoppedSearch();
    assert(signal(killed.pid, 'SIGKILL'));
    await until('the task of a killed search', async () => (await states(first)).includes('FAILED'));
    await slurm(`scancel ${first}`);
    await until('the end of a cancelled array', async () =>
      (await states(first)).every((state) => ['FAILED', 'CANCELLED', 'COMPLETED'].includes(state)),
    );
    const half = await place.merge();
    assert.equal(half.status, 1);
    assert(half.answer.missing?.unfinished.includes(killed.part));
    assert(half.answer.missing?.absent.includes(parts));

    place.letGo();
    const second = await submit(start);
    // As a minute before the time limit.
    const limited = await place.stoppedSearch();
    const task = `${second}_${limited.part}`;
    const facts = (): Promise<string> => slurm(`scontrol --oneliner show job ${task}`);
    await slurm(`scancel --batch --signal=USR1 ${task}`);
    signal(limited.pid, 'SIGCONT');
    await until('a task that has gone back into the queue', async () =>
      /JobState=PENDING .*Restarts=1 /.test(await facts()),
    );
    // Slurm itself waits for two minutes.
    await slurm(`scontrol update JobId=${task} StartTime=now`);
    await until('the end of the array', async () => (await states(second)).every((state) => state === 'COMPLETED'));
    assert.equal((await states(second)).length, parts);
    assert.match(await facts(), /Restarts=1 /);
    await place.expectOneRun();
  } finally {
    await place.end();
  }
});
