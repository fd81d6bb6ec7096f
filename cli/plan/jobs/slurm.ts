import { type Job, partThreads } from './job.ts';
import { shellWord } from './shellWord.ts';

/**
 * An array of Slurm (sbatch, "--array", "--signal", "--requeue"; scontrol, "requeue"). Slurm itself requeues a part that it preempts,
 * but neither a part that reaches its time limit nor one that ends when it hears of a preemption: these requeue themselves.
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
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
# Start it with sbatch. Start it again to go on with parts that were stopped.
# PIPEWRIGHT: how to start Pipewright, if it is not on the path.
\${PIPEWRIGHT:-pipewright} ${lines.join(' \\\n  ')} &
search=$!
# A minute before the time limit, the search ends, and its part goes on when it starts again.
goOnLater() {
  kill -TERM "$search"
  wait "$search"
  exec scontrol requeue "$SLURM_JOB_ID"
}
trap goOnLater USR1
# Slurm ends the job: the search has the same signal.
trap 'wait "$search"' TERM
wait "$search"
`;
}
