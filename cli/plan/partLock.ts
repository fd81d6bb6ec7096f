/**
 * Who works on a part: a file next to its rows, in a folder that machines may share. A holder that runs touches it every few
 * seconds; one that was killed does not, so others take its place.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two signs of life, and without one before a holder is thought to be dead. */
const beatEvery = 3_000;
const silentFor = 30_000;
const lookEvery = 250;

export interface PartLock {
  /** Another run has taken the part: this one was thought to be dead. */
  isLost(): boolean;
  release(): void;
}

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly process: number;
  /** The processes among which `process` is one; empty where the system does not say. */
  readonly among: string;
  readonly started: string;
}

export interface LockTimes {
  readonly beatEvery: number;
  readonly silentFor: number;
}

/** Takes the part, or answers in words who has it. `waits` is called once if only time can tell whether its holder lives. */
export async function lockPart(
  path: string,
  waits: (holder: string) => void,
  times: LockTimes = { beatEvery, silentFor },
): Promise<PartLock | { readonly problem: string }> {
  const own: Holder = { token: randomUUID(), host: hostname(), process: process.pid, ...thisProcess() };
  for (;;) {
    if (create(path, own)) return held(path, own, times.beatEvery);
    const found = look(path);
    if (found === undefined) continue;
    const { holder } = found;
    const problem = `${nameOf(holder)} works on it. Wait until that run ends, or stop it`;
    const lives = holder === undefined ? undefined : isAlive(holder, own);
    if (lives === true) return { problem };
    if (lives === undefined) {
      waits(nameOf(holder));
      if (await givesSign(path, found, times.silentFor)) return { problem };
    }
    takeAway(path, found.text);
  }
}

const nameOf = (holder: Holder | undefined): string =>
  holder === undefined ? 'Another run' : `Process ${holder.process} on ${holder.host}`;

const create = (path: string, own: Holder): boolean => {
  try {
    writeFileSync(path, JSON.stringify(own), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

interface Found {
  readonly text: string;
  readonly beat: number;
  readonly holder: Holder | undefined;
}

function look(path: string): Found | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, beat: statSync(path).mtimeMs, holder: holderOf(text) };
  } catch {
    return undefined;
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    const { token, host, process: id, among, started } = value ?? {};
    const isWhole = [token, host, among, started].every((each) => typeof each === 'string') && Number.isInteger(id);
    return isWhole ? (value as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for a sign of life, or for another holder. Clocks of machines differ, so only changes are looked at. */
async function givesSign(path: string, found: Found, silence: number): Promise<boolean> {
  const end = performance.now() + silence;
  while (performance.now() < end) {
    await sleep(Math.min(lookEvery, silence));
    const now = look(path);
    // Its holder has ended in the meantime.
    if (now === undefined) return false;
    if (now.text !== found.text || now.beat !== found.beat) return true;
  }
  return false;
}

/** Of two runs that find the same dead holder, one takes its file away; a file that is no longer the holder's is put back. */
function takeAway(path: string, text: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, path);
  } catch {
    // A third run has taken the part meanwhile.
  }
  rmSync(aside, { force: true });
}

function held(path: string, own: Holder, every: number): PartLock {
  const text = JSON.stringify(own);
  let isLost = false;
  const isOwn = (): boolean => look(path)?.text === text;
  const timer = setInterval(() => {
    isLost ||= !isOwn();
    if (isLost) return;
    try {
      const now = new Date();
      utimesSync(path, now, now);
    } catch {
      isLost = !isOwn();
    }
  }, every);
  timer.unref();
  return {
    isLost: () => isLost,
    release() {
      clearInterval(timer);
      if (isOwn()) rmSync(path, { force: true });
    },
  };
}

/** Whether the holder runs; undefined if its processes are not known here. */
const isAlive = (holder: Holder, own: Holder): boolean | undefined =>
  holder.host !== own.host || holder.among === '' || holder.among !== own.among
    ? undefined
    : startOf(holder.process) === holder.started;

function thisProcess(): Pick<Holder, 'among' | 'started'> {
  try {
    // A restart of the machine and each container number their processes anew.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { among: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, started: startOf(process.pid) };
  } catch {
    return { among: '', started: '' };
  }
}

/** When a process started, in ticks of its system; empty if there is none. */
function startOf(id: number): string {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name before may hold spaces and brackets. A process that nobody has waited for has ended all the same.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
