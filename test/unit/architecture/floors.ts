import { allowed } from './rules.ts';

/** `engine/costs/mesh.ts` is in `costs`; undefined outside the engine. */
const roomOf = (place: string): string | undefined => /^engine\/(\w+)\//.exec(place)?.[1];

/** What each room of the engine imports, types too, itself left out. */
function importsOfRooms(): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [rule, { ours, types = [] }] of Object.entries(allowed)) {
    const room = roomOf(rule);
    // A file with a rule of its own is no part of its room's floor.
    if (room === undefined || !rule.endsWith('/')) continue;
    const known = imports.get(room) ?? new Set();
    imports.set(room, known);
    for (const other of [...ours, ...types].map(roomOf)) if (other !== undefined && other !== room) known.add(other);
  }
  return imports;
}

/** Rooms by floor: each is one floor above the highest room that it imports. Throws where rooms import each other. */
function floors(): readonly (readonly string[])[] {
  const imports = importsOfRooms();
  const floorOf = (room: string, way: readonly string[] = []): number => {
    if (way.includes(room)) throw new Error(`These rooms import each other: ${[...way, room].join(' → ')}`);
    const below = Array.from(imports.get(room) ?? [], (other) => floorOf(other, [...way, room]));
    return 1 + Math.max(-1, ...below);
  };
  const drawn: string[][] = [];
  for (const room of imports.keys()) (drawn[floorOf(room)] ??= []).push(room);
  return drawn;
}

/** The engine as text, the highest floor first. */
export const engineFloors = (): string =>
  floors()
    .map((rooms, floor) => `${String(floor).padStart(2)}  ${rooms.join('  ')}`)
    .reverse()
    .join('\n');
