import type { Json } from '../../base/json.ts'
import { productName } from '../../model/names.ts'
import { internalProtocol } from '../../model/release.ts'
import type { AgentSelf } from '../manifest.ts'

/** Status of a member of the LAN pool. Reference: HTTP API 4.6. */
const alive = 1

/** Versions of the pool's user messages, which come with gossip. */
const delegateProtocol = { min: 2, max: 5, spoken: 4 } as const
const gossipProtocolMax = 5
const gossipProtocolMin = 1

/** Reference: HTTP API 4.6. Coordinates are null where they are not kept, as on every agent so far. */
export function selfJson(self: AgentSelf): Json {
  return {
    Config: {
      Datacenter: self.datacenter,
      NodeName: self.nodeName,
      NodeID: self.nodeId,
      Revision: self.revision,
      Server: self.server,
      Version: self.version,
    },
    DebugConfig: self.debugConfig,
    Coord: null,
    Member: memberJson(self),
    Stats: self.stats,
    Meta: self.nodeMeta,
  }
}

/** What the agent can say of itself without a pool: no tag is made up. */
function memberJson(self: AgentSelf): Json {
  const build = `${self.version}:${self.revision}`
  const shared = { build, dc: self.datacenter, id: self.nodeId }
  return {
    Name: self.nodeName,
    Addr: self.advertise.host,
    Port: self.advertise.port,
    Tags: self.server ? { ...shared, role: productName } : { ...shared, role: 'node' },
    Status: alive,
    ProtocolMin: gossipProtocolMin,
    ProtocolMax: gossipProtocolMax,
    ProtocolCur: internalProtocol.spoken,
    DelegateMin: delegateProtocol.min,
    DelegateMax: delegateProtocol.max,
    DelegateCur: delegateProtocol.spoken,
  }
}
