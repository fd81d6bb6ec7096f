import * as fc from '../../support/property.ts';
import { shapes, type ShapeArguments, type ShapeParameter } from '../../../engine/costs/shapes.ts';

/** An argument as a file may give it: any that its parameter takes. */
function valueOf({ name, kind, words = [], min = 1 }: ShapeParameter): fc.Arbitrary<number | boolean | string> {
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'word') return fc.constantFrom(...words);
  if (kind === 'quantity') return fc.double({ min: 0, max: 1e15, noNaN: true });
  // Numbers that often divide one another, so that many sets of arguments pass the check.
  return name === 'pad'
    ? fc.constantFrom(1, 8, 128)
    : fc.oneof(fc.constantFrom(8, 16, 32, 64), fc.integer({ min, max: 100 }));
}

/** Any shape with any arguments; its `check` may refuse them. */
export const anyShape: fc.Arbitrary<{ readonly shape: string; readonly args: ShapeArguments }> = fc
  .constantFrom(...shapes)
  .chain(({ name, parameters }) =>
    fc
      .record(Object.fromEntries(parameters.map((parameter) => [parameter.name, valueOf(parameter)])), {
        requiredKeys: parameters
          .filter((parameter) => parameter.default === undefined)
          .map((parameter) => parameter.name),
      })
      .map((args) => ({ shape: name, args })),
  );
