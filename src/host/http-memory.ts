import { HeldMemory, type Holder } from '../base/held-memory.ts'
import { type Endpoint, endpointText } from '../env/net.ts'
import type { Log } from '../env/observe.ts'

/**
 * Maximum number of bytes that one listener holds for all its clients: requests that wait for the answer to an earlier
 * one, and answers that were not read. Bodies of requests have a bound of their own.
 */
const heldBytesMax = 512 << 20

/** A connection of a client. */
export interface ClientConnection extends Holder {
  readonly remote: Endpoint
  close(): void
}

export type ClientsMemory = HeldMemory<ClientConnection>

export function clientsMemory(log: Log, bytesMax = heldBytesMax): ClientsMemory {
  return new HeldMemory(bytesMax, (largest, bytes) => {
    const fields = { remote: endpointText(largest.remote), bytes }
    largest.close()
    log.write('warn', 'http', 'closed a connection: too much memory was held for its client', fields, 'sampled')
  })
}
