/** A cluster of Slurm on this machine: its programs, files, ports and keys are its own, and end with the folder. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { type Place, until } from './place.ts';

/** CPUs of its only node, whatever the machine has. */
const cpus = 2;
const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch'];
/** Where Debian has the daemons; not every user has it on the path. */
const daemonFolders = '/usr/sbin:/sbin';

export interface Cluster {
  /** Of programs that talk to it. */
  readonly environment: NodeJS.ProcessEnv;
}

export async function startCluster(place: Place): Promise<Cluster> {
  const { PATH: known = '' } = place.environment;
  const searched = `${known}:${daemonFolders}`;
  const missing = programs.filter((name) => !searched.split(':').some((each) => existsSync(path.join(each, name))));
  assert.deepEqual(missing, [], 'Slurm is missing; install it, for example: sudo apt-get install slurm-wlm munge');
  const own = path.join(place.folder, 'slurm');
  for (const name of ['', 'state', 'spool', 'logs']) mkdirSync(path.join(own, name), { mode: 0o711 });
  const at = (name: string): string => path.join(own, name);
  const node = hostname().split('.')[0];
  const user = userInfo().username;
  const [controllerPort, nodePort] = await freePorts();
  writeFileSync(at('munge.key'), randomBytes(128), { mode: 0o600 });
  // Slurm forgets ended tasks after five minutes by default, which a busy machine needs for the array.
  writeFileSync(
    at('slurm.conf'),
    `ClusterName=pipewright
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
AuthInfo=socket=${at('munge.socket')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MinJobAge=86400
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
  );
  const environment = { ...place.environment, PATH: searched, SLURM_CONF: at('slurm.conf') };
  const munge = [
    '--key-file',
    'munge.key',
    '--socket',
    'munge.socket',
    '--pid-file',
    'munge.pid',
    '--seed-file',
    'seed',
  ];
  const daemon = (name: string, args: readonly string[]): ChildProcess =>
    spawn(name, args, { cwd: own, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  const daemons = [
    daemon('munged', ['--foreground', ...munge.map((word) => (word.startsWith('--') ? word : at(word)))]),
    daemon('slurmctld', ['-D', '-L', at('logs/slurmctld')]),
    daemon('slurmd', ['-D', '-L', at('logs/slurmd')]),
  ];
  let said = '';
  for (const { stderr } of daemons) stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  try {
    await until('a node that takes jobs', async () => {
      const { out } = await place.shell('sinfo --noheader --format=%T', environment);
      return out.trim() === 'idle';
    });
  } catch (error) {
    const logs = ['logs/slurmctld', 'logs/slurmd'].map((name) =>
      existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '',
    );
    throw new Error(`${String(error)}\n${said}\n${logs.join('\n')}`, { cause: error });
  }
  return { environment };
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  const [one = 0, other = 0] = ports;
  return [one, other];
}
