import type { Connection } from 'vscode-languageserver';
/** What the handlers share. */
import type { Platform } from '../platform/common/platform.ts';
import type { ClientAbilities, Files } from './view.ts';
import type { Configuration } from './configuration.ts';
import type { ChoiceLists } from './completion/choiceLists.ts';
import type { Documents } from './documents/documents.ts';
import type { HandlerHost } from './handlers.ts';
import type { LastLenses } from './lastLenses.ts';
import type { NameIndex } from './names/fileNames.ts';
import type { PlanSearches } from './searches/planSearches.ts';
import type { QuickFixes } from './searches/quickFixes.ts';
import type { ShorterOrders } from './searches/shorterOrders.ts';
import type { ClosedFiles } from './closedFiles.ts';
import type { Reports } from './reports.ts';
import type { TokenResults } from './tokenResults.ts';
import type { Starters } from './searches/starters.ts';

export interface Session {
  readonly connection: Connection;
  readonly platform: Platform;
  readonly documents: Documents;
  readonly files: Files;
  readonly configuration: Configuration;
  readonly log: HandlerHost;
  readonly choices: ChoiceLists;
  readonly fixes: QuickFixes;
  readonly names: NameIndex;
  readonly plans: PlanSearches;
  readonly orders: ShorterOrders;
  readonly lenses: LastLenses;
  readonly starters: Starters;
  readonly tokens: TokenResults;
  readonly reports: Reports;
  readonly closedFiles: ClosedFiles;
  /** What the editor can show at an address: another one where it cannot show documents of the server. */
  readonly address: (uri: string) => string;
  abilities: ClientAbilities;
  /** Uri of the folder `docs/`. */
  docs?: string;
}
