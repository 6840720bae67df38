import type { Json } from '../../base/json.ts'
import type { Member, MemberStatus } from '../../gossip/pool.ts'
import type { ServiceFacts } from '../../model/catalog.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import { coordinateJson } from '../coordinate/model.ts'
import type { AgentSelf } from '../manifest.ts'

/** Reference: HTTP API 4.6. */
const statusNumbers: Readonly<Record<MemberStatus, number>> = { alive: 1, leaving: 2, left: 3, failed: 4 }

/** Reference: HTTP API 4.6. `coordinate`: undefined where none is kept. */
export function selfJson(self: AgentSelf, member: Member, coordinate: Coordinate | undefined): Json {
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
    Coord: coordinate === undefined ? null : coordinateJson(coordinate),
    Member: memberJson(member),
    Stats: self.stats,
    Meta: self.nodeMeta,
  }
}

export function memberJson({ name, endpoint, tags, status, versions }: Member): Json {
  return {
    Name: name,
    Addr: endpoint.host,
    Port: endpoint.port,
    Tags: tags,
    Status: statusNumbers[status],
    ProtocolMin: versions.protocolMin,
    ProtocolMax: versions.protocolMax,
    ProtocolCur: versions.protocolSpoken,
    DelegateMin: versions.delegateMin,
    DelegateMax: versions.delegateMax,
    DelegateCur: versions.delegateSpoken,
  }
}

/** A service as the agent that offers it shows it. Reference: HTTP API 4.2. */
export function serviceJson(service: ServiceFacts): { readonly [key: string]: Json | undefined } {
  return {
    Kind: service.kind === '' ? undefined : service.kind,
    ID: service.id,
    Service: service.service,
    Tags: service.tags,
    Meta: Object.fromEntries(service.meta ?? []),
    Port: service.port,
    Address: service.address,
    Weights: { Passing: service.weights.passing, Warning: service.weights.warning },
    EnableTagOverride: service.enableTagOverride,
  }
}

/** The same, asked for alone: what is not set is null here, and a hash names the whole. */
export function hashedServiceJson(service: ServiceFacts, contentHash: string): Json {
  return {
    ...serviceJson(service),
    Tags: service.tags.length === 0 ? null : service.tags,
    Meta: service.meta === null || service.meta.length === 0 ? null : Object.fromEntries(service.meta),
    ContentHash: contentHash,
  }
}
