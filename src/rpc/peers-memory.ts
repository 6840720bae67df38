import { HeldMemory } from '../base/held-memory.ts'
import type { Env } from '../env/env.ts'
import { endpointText } from '../env/net.ts'
import type { Connection } from './connection.ts'

/**
 * Maximum number of bytes that this agent holds for the peers of all its connections. Without TLS anyone can be a peer,
 * and each connection has bounds of its own, whose sum over all connections would fill the memory.
 */
const heldBytesMax = 512 << 20

export function peersMemory({ log }: Pick<Env, 'log'>, bytesMax = heldBytesMax): HeldMemory<Connection> {
  return new HeldMemory(bytesMax, (largest, bytes) => {
    const fields = { remote: endpointText(largest.remote), bytes }
    largest.close('too much memory is held for the peer')
    log.write('warn', 'rpc', 'closed a connection: too much memory was held for its peer', fields, 'sampled')
  })
}
