import { z } from 'zod'
import { keysStillRead } from '../../src/config/past/removed.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { oldestRelease } from '../../src/model/release.ts'

/** Settings that the cluster makes for each node itself. */
const ownSettings = {
  advertise_addr: true,
  advertise_addr_wan: true,
  addresses: true,
  bind_addr: true,
  bootstrap: true,
  bootstrap_expect: true,
  client_addr: true,
  data_dir: true,
  datacenter: true,
  node_id: true,
  ports: true,
  retry_join_wan: true,
  serf_wan: true,
  server: true,
  start_join: true,
  start_join_wan: true,
} as const

/** Options that only agents of earlier releases read. Nested ones stand where the newest release has its block. */
const oldOptions = Object.fromEntries(
  keysStillRead(oldestRelease)
    .filter((name) => !name.includes('.'))
    .map((name) => [name, z.unknown().optional().describe('Of earlier releases.')]),
)

/** Settings that a scenario may give an agent. */
export const nodeConfig = fileSchema
  .omit(ownSettings)
  .extend(oldOptions)
  .describe(
    'Settings of every agent, as in its configuration file; names and addresses are set by the simulator, and retry_join unless it is given.',
  )
