/** A cluster for a file that names ranks and no devices: nodes of eight H100. */

/** Whether devices are in several nodes. */
const isLarge = (devices: number): boolean => devices > 8;

/** What the text imports for its cluster. */
export const clusterImport = (devices: number): string =>
  `import { h100${isLarge(devices) ? ', ib_ndr_400' : ''} } from "std:hardware"\n`;

/** The cluster `ranks`, which whoever imports replaces. */
export function placeholderCluster(devices: number): string {
  const inside = (number: number): string => `gpu[${number}] = h100\n  link = 370GB/s + 3.4us`;
  return `/// Put your devices and links here.
cluster ranks {
  ${!isLarge(devices) ? inside(devices) : `node[${Math.ceil(devices / 8)}] {\n  ${inside(8)}\n  }\n  link = ib_ndr_400`}
}
`;
}
