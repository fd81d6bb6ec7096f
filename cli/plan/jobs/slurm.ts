import { type Job, partThreads } from './job.ts';
import { shellWord } from './shellWord.ts';

/**
 * An array of Slurm (sbatch, "--array", "--signal", "--requeue"). The batch script becomes the search (`exec`), so that the signal
 * before the time limit reaches it.
 */
export function slurmJob({ options, operands, parts, threads = partThreads }: Job): string {
  const words = ['plan', ...options].map(shellWord);
  const lines = [
    ...words,
    `--threads="\${SLURM_CPUS_PER_TASK:-${threads}}"`,
    `--shard="$SLURM_ARRAY_TASK_ID/${parts}"`,
    ['--', ...operands.map(shellWord)].join(' '),
  ];
  return `#!/bin/bash
#SBATCH --job-name=pipewright-plan
#SBATCH --array=1-${parts}
#SBATCH --cpus-per-task=${threads}
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
# Start it with sbatch. Start it again to go on with parts that were stopped.
# PIPEWRIGHT: how to start Pipewright, if it is not on the path.
exec \${PIPEWRIGHT:-pipewright} ${lines.join(' \\\n  ')}
`;
}
