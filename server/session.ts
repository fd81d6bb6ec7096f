import type { Connection } from 'vscode-languageserver';
/** What the handlers share. */
import type { ClientAbilities } from './view.ts';
import type { Configuration } from './configuration.ts';
import type { ChoiceLists } from './completion/choiceLists.ts';
import type { Documents } from './documents/documents.ts';
import type { Log } from './handlers.ts';
import type { LastLenses } from './lastLenses.ts';
import type { NameIndex } from './names/fileNames.ts';
import type { PlanSearches } from './searches/planSearches.ts';
import type { QuickFixes } from './searches/quickFixes.ts';
import type { ShorterOrders } from './searches/shorterOrders.ts';
import type { Starters } from './searches/starters.ts';

export interface Session {
  readonly connection: Connection;
  readonly documents: Documents;
  readonly configuration: Configuration;
  readonly log: Log;
  readonly choices: ChoiceLists;
  readonly fixes: QuickFixes;
  readonly names: NameIndex;
  readonly plans: PlanSearches;
  readonly orders: ShorterOrders;
  readonly lenses: LastLenses;
  readonly starters: Starters;
  abilities: ClientAbilities;
  /** Uri of the folder `docs/`. */
  docs?: string;
}
