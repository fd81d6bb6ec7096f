/** An array of Slurm, in Slurm itself. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from '../support/plainTests.ts';
import { startCluster } from './cluster.ts';
import { createPlace, isAskedToEnd, parts, signal, until } from './place.ts';

test('an array of Slurm that is killed, cancelled and requeued is one run in the end', async () => {
  const place = createPlace();
  try {
    const { environment } = await startCluster(place);
    const slurm = async (line: string): Promise<string> => {
      let answer = await place.shell(line, environment);
      // For a moment Slurm takes no orders for a task that it starts.
      for (let tries = 0; tries < 50 && answer.err.includes('try again later'); tries += 1) {
        await sleep(200);
        answer = await place.shell(line, environment);
      }
      assert.equal(answer.status, 0, answer.err);
      return answer.out.trim();
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
    // Slurm delivers it when it can; the search may not end its part before.
    await until('the end that the job asks of its search', () => isAskedToEnd(limited.pid));
    signal(limited.pid, 'SIGCONT');
    await until('a task that has gone back into the queue', async () =>
      /JobState=PENDING .*Restarts=1 /.test(await facts()),
    );
    // Slurm itself waits for two minutes. In the second in which a task has ended it is not started again: its node takes it for ended.
    await slurm(`scontrol update JobId=${task} StartTime=now+2`);
    await until('the end of the array', async () => (await states(second)).every((state) => state === 'COMPLETED'));
    assert.equal((await states(second)).length, parts);
    assert.match(await facts(), /Restarts=1 /);
    await place.expectOneRun();
  } finally {
    await place.end();
  }
});
