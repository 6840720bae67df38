import { utf8 } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'
import { type ClusterNode, serverAddress } from './cluster-node.ts'

/** Puts a `peers.json` into the data directory, as an operator does before the start of a server. */
export async function plantPeersJson({ disk }: Pick<Env, 'disk'>, text: string): Promise<void> {
  const file = await disk.open('/data/raft/peers.json', 'create')
  invariant(file.ok, 'peers.json is for a server that has run before')
  await file.value.write(0, utf8(text))
  await file.value.sync()
  await file.value.close()
  await disk.syncDirectory('/data/raft')
}

/** What it says when it names these servers. */
export function peersJsonText(named: readonly Pick<ClusterNode, 'identity'>[], form: 'ids' | 'addresses'): string {
  if (form === 'addresses') return JSON.stringify(named.map(serverAddress))
  return JSON.stringify(named.map((server) => ({ id: server.identity.id, address: serverAddress(server) })))
}
