/** `npm test`: every check there is. The last line of its output is `N passed, N failed`. */
import { run } from './run.mjs';
import { setup } from './setup.mjs';

setup({
  debian: [
    {
      command: 'Chromium',
      files: [
        '/usr/bin/chromium',
        '/usr/bin/chromium-browser',
        '/usr/bin/google-chrome',
        process.env.CHROMIUM_PATH ?? '',
      ].filter(Boolean),
      packages: 'chromium fonts-dejavu-core',
      why: 'the window of the editor in tests',
    },
    {
      command: 'Neovim',
      files: ['/usr/bin/nvim', '/usr/local/bin/nvim'],
      packages: 'neovim',
      why: 'the language server in another editor',
    },
  ],
});
run('test.ts');
