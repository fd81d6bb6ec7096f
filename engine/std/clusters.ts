/** NVLinks of a DGX-1 with V100s and of p3 instances (`nvidia-smi topo`): each GPU has six; pairs with two or one of them. */
const cubeMesh = `    link gpu[0] -- gpu[3..4] = 40GB/s + 3.4us
    link gpu[0] -- gpu[1..2] = nvlink2_link
    link gpu[1] -- gpu[2]    = 40GB/s + 3.4us
    link gpu[1] -- gpu[5]    = 40GB/s + 3.4us
    link gpu[1] -- gpu[3]    = nvlink2_link
    link gpu[2] -- gpu[3]    = 40GB/s + 3.4us
    link gpu[2] -- gpu[6]    = nvlink2_link
    link gpu[3] -- gpu[7]    = nvlink2_link
    link gpu[4] -- gpu[7]    = 40GB/s + 3.4us
    link gpu[4] -- gpu[5..6] = nvlink2_link
    link gpu[5] -- gpu[6]    = 40GB/s + 3.4us
    link gpu[5] -- gpu[7]    = nvlink2_link
    link gpu[6] -- gpu[7]    = 40GB/s + 3.4us`;

/** Memory of the host of a node as it is sold, and what an update of weights reaches in it, if that can be said. */
interface HostFigures {
  /** Machines of a node, if there are several. */
  readonly hosts?: string;
  readonly memory: string;
  /** GB/s. */
  readonly bandwidth?: number;
}

const hostText = ({ hosts, memory, bandwidth }: HostFigures): string =>
  bandwidth === undefined
    ? `${hosts === undefined ? '' : `\n    hosts       = ${hosts}`}\n    host_memory = ${memory}`
    : `\n    host_memory    = ${memory}\n    host_bandwidth = ${bandwidth}GB/s`;

/** GPUs of a rack, as a param says. */
const ofRack = { gpus: 'rack_gpus', last: 'rack_gpus-1' };

/** A node of GPUs on NVSwitches, each GPU with a network card. */
const switched = (
  gpu: string,
  nvlink: number,
  network: number,
  host: HostFigures,
  nodes = 'nodes',
  { gpus, last }: { readonly gpus: string; readonly last: string } = { gpus: '8', last: '7' },
): string => `  switch fabric {}
  node[${nodes}] {
    gpu[${gpus}] = ${gpu}
    switch nvswitch {
      ports = gpu[0..${last}]
      link  = ${nvlink}GB/s + 1.7us
    }
    link gpu[0..${last}] -- fabric = ${network}GB/s + 4.8us
${hostText(host)}
  }`;

/** A node whose GPUs share its network adapter. */
const adapted = (inside: string, ports: string, uplink: string, host: HostFigures): string => `  switch fabric {}
  node[nodes] {
${inside}
    switch nic {
      ports = gpu[0..7]
      link  = ${ports}
    }
    link nic -- fabric = ${uplink}
${hostText(host)}
  }`;

const nvswitch = (gpu: string, nvlink: number): string => `    gpu[8] = ${gpu}
    switch nvswitch {
      ports = gpu[0..7]
      link  = ${nvlink}GB/s + 1.7us
    }`;

const source = '"std:hardware"';

/** The text of `std:clusters`. */
export const clusters: string = `// Machines to import: \`import { dgx_h100, nodes } from "std:clusters"\`. \`nodes\` is a param: a slider, or --set nodes=4.
// Rates are what transfers reach (\`std:hardware\` has them with their sources). A route over two hops has half the latency of a
// transfer on each. Transfers that meet on a port, a network card or an uplink share it. \`host_memory\` is the memory of a node as
// it is sold; the system, data loading and checkpoints need some of it. \`host_bandwidth\` is a third of the peak of that memory, as
// an estimate of what an update reaches: measure yours. A cluster without it cannot offload an optimizer.
import { a100_40, a100_80, a100_pcie_80, b200, gb200, gb300 } from ${source}
import { h100, l40s, v100, v100_32 } from ${source}
import { p4000, rtx2060, titan_rtx, titan_v, nvlink2_link, pcie3x16 } from ${source}

/// Nodes of the clusters of this file that have equal ones. With two nodes of eight a cluster has 16 GPUs.
param nodes = 2 in 1..2048

/// Racks of the clusters of this file whose nodes are racks of 72 GPUs.
param racks = 2 in 1..64

/// GPUs of each rack that train. 72 are there; with 64, ranks are powers of two, and 8 are spare.
param rack_gpus = 72 in 4..72

/// DGX A100: eight A100 on NVSwitches (235 GB/s), a 200 Gb/s InfiniBand card for each.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Hosts have 2 TB (1 TB with GPUs of 40 GB), 16 channels of DDR4-3200. Two GPUs share a PCIe switch: if both copy to the host, each
/// reaches about half of \`pcie4x16\`.
/// Sources: DGX A100 data sheet; NCCL graph/tuning.cc (235 GB/s); SimAI (23.5 GB/s). Confidence: medium.
cluster dgx_a100 {
${switched('a100_80', 235, 23.5, { memory: '2TB', bandwidth: 135 })}
}

/// DGX H100: eight H100 on NVSwitches (370 GB/s), a 400 Gb/s InfiniBand card for each.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Hosts have 2 TB, 16 channels of DDR5-4800.
/// Sources: DGX H100 data sheet; nccl-tests #212 (370 GB/s); SimAI (48.5 GB/s). Confidence: medium.
cluster dgx_h100 {
${switched('h100', 370, 48.5, { memory: '2TB', bandwidth: 200 })}
}

/// DGX B200: eight B200 on NVSwitches (720 GB/s), a 400 Gb/s InfiniBand card for each.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Hosts have 2 TB (up to 4), 16 channels of DDR5-5600.
/// Sources: DGX B200 data sheet; NCCL topo.h (40.1 GB/s for each of 18 links); SimAI (48.5 GB/s). Confidence: medium.
cluster dgx_b200 {
${switched('b200', 720, 48.5, { memory: '2TB', bandwidth: 240 })}
}

/// GB200 NVL72: a rack with 72 Blackwell chips on NVSwitches (720 GB/s), a 400 Gb/s InfiniBand card for each.
/// 144 GPUs: two \`racks\` of 72. \`with { racks = 4  rack_gpus = 64 }\` behind its import gives it four, with 8 spare GPUs in each; so does \`--set racks=4\`, or the slider, where \`racks\` is imported, too.
/// Its 18 compute trays are hosts of four GPUs and two CPUs; the 36 CPUs have 17 TB of LPDDR5X.
/// Sources: GB200 NVL72 data sheet; NCCL topo.h (40.1 GB/s for each of 18 links); SimAI (48.5 GB/s). Confidence: medium.
cluster gb200_nvl72 {
${switched('gb200', 720, 48.5, { hosts: 'rack_gpus / 4', memory: '17TB' }, 'racks', ofRack)}
}

/// GB300 NVL72: a rack with 72 Blackwell Ultra chips on NVSwitches (720 GB/s), an 800 Gb/s InfiniBand card for each.
/// 144 GPUs: two \`racks\` of 72. \`with { racks = 4  rack_gpus = 64 }\` behind its import gives it four, with 8 spare GPUs in each; so does \`--set racks=4\`, or the slider, where \`racks\` is imported, too.
/// Its 18 compute trays are hosts of four GPUs and two CPUs; the 36 CPUs have 17 TB of LPDDR5X. The rate of the card is twice what one of 400 Gb/s reaches.
/// Sources: GB300 NVL72 data sheet; NCCL topo.h (40.1 GB/s for each of 18 links); SimAI (48.5 GB/s at 400 Gb/s). Confidence: low.
cluster gb300_nvl72 {
${switched('gb300', 720, 97, { hosts: 'rack_gpus / 4', memory: '17TB' }, 'racks', ofRack)}
}

/// DGX-1: eight V100 in a hybrid cube mesh of NVLinks, and a 100 Gb/s InfiniBand card for each two.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: DGX-1 white paper (WP-08437-002); NCCL topo.h (20 GB/s for each NVLink, 12 for PCIe 3 and for the card).
/// Confidence: medium.
cluster dgx1_v100 {
  switch fabric {}
  node[nodes] {
    gpu[8]                   = v100
${cubeMesh}
    switch nic0 {
      ports = gpu[0..1]
      link  = 12GB/s + 2.8us
    }
    switch nic1 {
      ports = gpu[2..3]
      link  = 12GB/s + 2.8us
    }
    switch nic2 {
      ports = gpu[4..5]
      link  = 12GB/s + 2.8us
    }
    switch nic3 {
      ports = gpu[6..7]
      link  = 12GB/s + 2.8us
    }
    link nic0 -- fabric = 12GB/s + 4.8us
    link nic1 -- fabric = 12GB/s + 4.8us
    link nic2 -- fabric = 12GB/s + 4.8us
    link nic3 -- fabric = 12GB/s + 4.8us
${hostText({ memory: '512GB' })}
  }
}

/// Servers with two sockets, each with a PCIe 4 switch of four A100 behind one uplink; 200 Gb/s InfiniBand at the first socket.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: a common layout, not one product; NCCL topo.h (24 GB/s for PCIe 4, 10 between Skylake sockets). Confidence: medium.
cluster pcie_a100 {
${pcieBox('a100_pcie_80')}
}

/// Servers with two sockets, each with a PCIe 4 switch of four L40S behind one uplink; 200 Gb/s InfiniBand at the first socket.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: a common layout, not one product; NCCL topo.h (24 GB/s for PCIe 4, 10 between Skylake sockets). Confidence: medium.
cluster pcie_l40s {
${pcieBox('l40s')}
}

/// AWS p3dn.24xlarge: eight V100 32 GB in a cube mesh of NVLinks; 100 Gb/s for all of them.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: AWS instance types; NCCL topo.h. Line rate of the adapter: what transfers reach is not known. Confidence: medium.
cluster p3dn {
${adapted(`    gpu[8]                   = v100_32\n${cubeMesh}`, '12GB/s + 2.8us', '12.5GB/s + 10us', { memory: '768GiB' })}
}

/// AWS p4d.24xlarge: eight A100 40 GB on NVSwitches; 400 Gb/s for all of them.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: AWS instance types; NCCL graph/tuning.cc. Line rate of the adapters: what transfers reach is not known.
/// Confidence: medium.
cluster p4d {
${adapted(nvswitch('a100_40', 235), '24GB/s + 2.8us', '50GB/s + 10us', { memory: '1152GiB' })}
}

/// AWS p5.48xlarge: eight H100 on NVSwitches; 3200 Gb/s for all of them.
/// 16 GPUs: two \`nodes\` of eight. \`with { nodes = 4 }\` behind its import gives it four; so does \`--set nodes=4\`, or the slider, where \`nodes\` is imported, too.
/// Sources: AWS instance types; nccl-tests #212. Line rate of the adapters: what transfers reach is not known. Confidence: medium.
cluster p5 {
${adapted(nvswitch('h100', 370), '48GB/s + 2.8us', '400GB/s + 10us', { memory: '2TiB' })}
}

/// The testbed of HetPipe, 16 GPUs: a node of four of each of four kinds, PCIe 3 inside, 56 Gb/s InfiniBand between.
/// Sources: Park et al. (arXiv:2005.14038), section 8; the rate that InfiniBand reaches is an estimate. Confidence: medium.
cluster hetpipe {
  switch fabric {}
${['titan_v', 'titan_rtx', 'rtx2060', 'p4000'].map(testbedNode).join('\n')}
}
`;

/** Two PCIe switches of four GPUs, each behind one link to its socket. */
function pcieBox(gpu: string): string {
  return `  switch fabric {}
  node[nodes] {
    gpu[8] = ${gpu}
    switch cpu0 {}
    switch cpu1 {}
    switch plx0 {
      ports = gpu[0..3]
      link  = 24GB/s + 2.8us
    }
    switch plx1 {
      ports = gpu[4..7]
      link  = 24GB/s + 2.8us
    }
    link plx0 -- cpu0   = 24GB/s
    link plx1 -- cpu1   = 24GB/s
    link cpu0 -- cpu1   = 10GB/s
    link cpu0 -- fabric = 23.5GB/s + 4.8us
  }`;
}

function testbedNode(gpu: string): string {
  return `  node[1] {
    gpu[4] = ${gpu}
    link   = pcie3x16
    switch nic {
      ports = gpu[0..3]
      link  = 12GB/s + 2.8us
    }
    link nic -- fabric = 6GB/s + 4.8us
  }`;
}
