import type { Command } from '../command.ts';
import { checkCommand } from './check.ts';
import { explainCommand } from './explain.ts';
import { formatCommand } from './format.ts';
import { lspCommand } from './lsp.ts';
import { simulateCommand } from './simulate.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [checkCommand, simulateCommand, formatCommand, explainCommand, lspCommand];
