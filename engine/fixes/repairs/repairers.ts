import type { Code } from '../../findings/catalogue.ts';
import { valueBackwards } from './backwards.ts';
import { scheduleDeadlock } from './deadlock.ts';
import { typeDimension } from './dimension.ts';
import { keyDuplicate } from './duplicateKey.ts';
import { nameDuplicate } from './duplicateName.ts';
import { importNotFound } from './importPath.ts';
import { scheduleIncomplete } from './incomplete.ts';
import { layerNoCost } from './layerCost.ts';
import { layerCycle } from './layerCycle.ts';
import { layerUnreachable } from './layerUnreachable.ts';
import { typeMismatch } from './mismatch.ts';
import { keyMissing } from './missingKey.ts';
import { nameCycle } from './nameCycle.ts';
import { keyNotApplicable } from './notApplicable.ts';
import { nameReserved } from './reservedName.ts';
import { valueRange } from './range.ts';
import type { Repairer } from './repair.ts';
import { scheduleRepeated } from './repeated.ts';
import { unknownRoute } from './route.ts';
import { scheduleShape } from './shape.ts';
import { stageEmpty } from './stageEmpty.ts';
import { stageOrder } from './stageOrder.ts';
import { stageTwice } from './stageTwice.ts';
import { stageUnassigned } from './stageUnassigned.ts';
import { syntaxUnclosed } from './syntaxUnclosed.ts';
import { syntaxUnexpected } from './syntaxUnexpected.ts';
import { syntaxUnit } from './unit.ts';
import { keyUnknown } from './unknownKey.ts';
import { nameUnknown } from './unknownName.ts';
import { nameUnused } from './unusedName.ts';

/** Repairs by the code of the finding. */
export const repairers: { readonly [C in Code]?: Repairer } = {
  'syntax/unexpected': syntaxUnexpected,
  'syntax/unclosed': syntaxUnclosed,
  'syntax/unit': syntaxUnit,
  'name/unknown': nameUnknown,
  'name/duplicate': nameDuplicate,
  'name/reserved': nameReserved,
  'name/unused': nameUnused,
  'name/cycle': nameCycle,
  'key/unknown': keyUnknown,
  'key/missing': keyMissing,
  'key/duplicate': keyDuplicate,
  'key/not-applicable': keyNotApplicable,
  'type/mismatch': typeMismatch,
  'type/dimension': typeDimension,
  'value/range': valueRange,
  'value/backwards': valueBackwards,
  'layer/cycle': layerCycle,
  'layer/unreachable': layerUnreachable,
  'layer/no-cost': layerNoCost,
  'stage/unassigned-layer': stageUnassigned,
  'stage/assigned-twice': stageTwice,
  'stage/dependency-order': stageOrder,
  'stage/empty': stageEmpty,
  'device/unknown-route': unknownRoute,
  'schedule/incomplete': scheduleIncomplete,
  'schedule/repeated': scheduleRepeated,
  'schedule/deadlock': scheduleDeadlock,
  'schedule/shape': scheduleShape,
  'import/not-found': importNotFound,
};
