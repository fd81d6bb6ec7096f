import { type DeviceFigures, deviceText, isGuessed } from './device.ts';
import { geforce } from './geforce.ts';
import { linkText } from './link.ts';
import { links } from './links.ts';
import { nvidia } from './nvidia.ts';
import { otherDevices } from './otherDevices.ts';

const head = `// Accelerators and links to import: \`import { h100, ib_ndr_400 } from "std:hardware"\`.
// \`memory\` is what the framework reports as usable, less than the label says; \`reserved = framework\` is a context
// and the communicators of the pipeline's groups. \`compute\` is the dense 16-bit peak (data sheets print sparse peaks, twice as high). \`compute(fp8)\`
// is the peak for one number format; tf32 on devices without it is fp32. \`efficiency\` is the share of the peak that the
// kernels of large transformer layers reach. With sizes it is the share of single products, \`memory_efficiency\` of kernels that
// move bytes, and \`attention_efficiency\` of fused attention. docs/accuracy.md says which runs they were fitted to.
// \`host\` is the link to the memory of the host, as wide as the data sheet says and as fast as copies go if no other device copies
// behind the same PCIe switch.
// To change a device, write \`device mine { from = h100  efficiency = 50% }\`.
// A link is what one transfer reaches one way, and its latency: steps of NCCL's rings take 3.4 us over NVLink, 5.7 us over
// PCIe, 9.6 us over InfiniBand (NCCL tuning.cc).`;

const devices = [...nvidia, ...geforce, ...otherDevices];

/** Devices of `std:hardware` whose `efficiency` no published run was fitted to. */
export const guessedDevices: ReadonlySet<string> = new Set(devices.filter(isGuessed).map(({ name }) => name));

/** What published runs say of its devices, by name. */
export const fittedDevices: ReadonlyMap<string, Pick<DeviceFigures, 'family' | 'unfitted'>> = new Map(
  devices.map((device) => [device.name, device]),
);

/** The text of `std:hardware`. */
export const hardware: string = `${[head, ...devices.map(deviceText), ...links.map(linkText)].join('\n\n')}\n`;
