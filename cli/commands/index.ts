import type { Command } from '../command.ts';
import { calibrateCommand } from './calibrate.ts';
import { checkCommand } from './check.ts';
import { compareCommand } from './compare.ts';
import { explainCommand } from './explain.ts';
import { exportCommand } from './export.ts';
import { formatCommand } from './format.ts';
import { importCommand } from './import.ts';
import { lspCommand } from './lsp.ts';
import { mcpCommand } from './mcp.ts';
import { planCommand } from './plan.ts';
import { searchCommand } from './search.ts';
import { simulateCommand } from './simulate.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  checkCommand,
  simulateCommand,
  compareCommand,
  planCommand,
  searchCommand,
  exportCommand,
  importCommand,
  calibrateCommand,
  formatCommand,
  explainCommand,
  lspCommand,
  mcpCommand,
];
