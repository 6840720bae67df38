import type { FuzzTarget } from '../tools/fuzz/target.ts'
import { dnsTargets } from './dns-targets.ts'
import { fileTargets } from './file-targets.ts'
import { gossipTargets } from './gossip-targets.ts'
import { httpTargets } from './http-targets.ts'
import { pkiTargets } from './pki-targets.ts'
import { raftTargets } from './raft-targets.ts'
import { rpcTargets } from './rpc-targets.ts'
import { textTargets } from './text-targets.ts'

/** Every decoder that bytes from outside reach. */
export const targets: readonly FuzzTarget[] = [
  ...gossipTargets,
  ...rpcTargets,
  ...httpTargets,
  ...dnsTargets,
  ...pkiTargets,
  ...textTargets,
  ...fileTargets,
  ...raftTargets,
]
