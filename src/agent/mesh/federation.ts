import type { MissingServer } from '../../features/contract/access-control.ts'
import type { MeshFederation } from '../../features/contract/mesh.ts'
import type { Member } from '../../gossip/pool.ts'
import { hasBehaviour, oldestRelease, parseRelease } from '../../model/release.ts'
import type { Raft } from '../../raft/raft.ts'
import { primaryOf } from '../access/mode.ts'
import type { AccessGround } from '../access/running-access.ts'
import { serverOf } from '../pool/pool-servers.ts'

/**
 * The mesh that this server's datacenter should join; undefined: it has a mesh of its own, or is the primary
 * datacenter.
 */
export function meshFederation(
  { config, pool, wan, tokens }: AccessGround,
  raft: Pick<Raft, 'status'>,
): MeshFederation | undefined {
  const primary = primaryOf(config)
  const { release, datacenter, mesh } = config
  if (primary === datacenter || wan === undefined || !mesh.enabled) return undefined
  if (!hasBehaviour(release, 'mesh-federation')) return undefined
  return {
    primaryDatacenter: primary,
    joins: mesh.federates !== false,
    missing: () => missing(datacenter, primary, { lan: pool.members(), wan: wan.pool.members(), raft }),
    token: () => tokens.meshReplication,
  }
}

interface Seen {
  readonly lan: readonly Member[]
  readonly wan: readonly Member[]
  readonly raft: Pick<Raft, 'status'>
}

/**
 * Servers that do not support federation, as far as they are seen. Failed servers count, because they may come back.
 */
function missing(own: string, primary: string, { lan, wan, raft }: Seen): readonly MissingServer[] {
  const here = serversIn(lan, own)
  const there = serversIn(wan, primary)
  const lacking = [...here, ...there].flatMap(({ name, datacenter, release }) =>
    hasBehaviour(parseRelease(release) ?? oldestRelease, 'mesh-federation')
      ? []
      : [{ name, datacenter, why: `runs ${release || 'an old release'}, which does not support it` }],
  )
  const unseen = raft
    .status()
    .configuration.servers.filter(({ id, address }) => !here.some((each) => each.id === id || each.address === address))
    .map(({ id }) => ({ name: id, datacenter: own, why: 'is in the consensus group, but the pool has no such member' }))
  const outOfReach = { name: 'every server', datacenter: primary, why: 'is out of reach' }
  return [...lacking, ...unseen, ...(there.length === 0 ? [outOfReach] : [])]
}

function serversIn(members: readonly Member[], datacenter: string) {
  return members.flatMap((member) => {
    const server = member.status === 'left' ? undefined : serverOf(member)
    return server?.datacenter === datacenter ? [server] : []
  })
}
