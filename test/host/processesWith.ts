import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** Processes that work in or with this folder, without this one; none where the system does not list them as files. */
export function processesWith(folder: string): readonly FoundProcess[] {
  return numbersIn('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const used = [command, environment, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(folder));
      return used && pid !== process.pid ? [{ pid, command }] : [];
    } catch {
      return []; // ended meanwhile, or not ours
    }
  });
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
}
