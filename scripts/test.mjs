/** `npm test`: every check there is, or those that its arguments name. The last line of its output is `N passed, N failed`. */
import { run } from './run.mjs';
import { setup } from './setup.mjs';

const words = process.argv.slice(2).map((word) => word.toLowerCase());
/** Whether one of these steps runs. */
const runs = (...steps) => words.length === 0 || words.some((word) => steps.some((step) => step.includes(word)));

const chromium = {
  command: 'Chromium',
  files: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    process.env.CHROMIUM_PATH ?? '',
  ].filter(Boolean),
  packages: 'chromium fonts-dejavu-core',
  why: 'the window of the editor in tests',
};
const shell = {
  command: 'The headless shell of Chromium',
  files: ['/usr/bin/chromium-headless-shell', process.env.CHROMIUM_PATH ?? '', process.env.CHROMIUM ?? ''].filter(
    Boolean,
  ),
  packages: 'chromium-headless-shell fonts-dejavu-core',
  why: 'pages and editors in tests; without it they are shown in Chromium, which takes longer',
};
const neovim = {
  command: 'Neovim',
  files: ['/usr/bin/nvim', '/usr/local/bin/nvim'],
  packages: 'neovim',
  why: 'the language server in another editor',
};
const slurm = {
  command: 'Slurm',
  files: ['/usr/sbin/slurmctld', '/usr/local/sbin/slurmctld'],
  packages: 'slurm-wlm munge',
  why: 'the job of plan on many machines',
};

setup({
  debian: [
    ...(runs('package in the editor', 'journeys', 'extension in the editor', 'preview in the browser')
      ? [chromium, shell]
      : []),
    ...(runs('neovim') ? [neovim] : []),
    ...(process.platform === 'linux' && runs('jobs of slurm and make') ? [slurm] : []),
  ],
});
run('test.ts');
