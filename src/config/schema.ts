import { z } from 'zod'
import { accessKeys } from './keys/access.ts'
import { agentKeys, fixedKeys } from './keys/agent.ts'
import { connectKeys } from './keys/connect.ts'
import { dnsKeys } from './keys/dns.ts'
import { gossipKeys } from './keys/gossip.ts'
import { type KeyRow, keyRows } from './keys/key.ts'
import { limitKeys, networkKeys } from './keys/network.ts'
import { serverKeys } from './keys/server.ts'
import { telemetryKeys } from './keys/telemetry.ts'
import { tlsKeys } from './keys/tls.ts'
import type { PastSettings } from './past/past-keys.ts'

/**
 * A configuration file as people write it. The schema is strict: a key that is not listed here is an error. Each field
 * may be absent; the defaults are applied when all sources are merged. Reference: configuration.md#top-level-keys,
 * configuration.md#fact-6.
 */
export const fileSchema = z.strictObject({
  ...accessKeys,
  ...agentKeys,
  ...connectKeys,
  ...dnsKeys,
  ...fixedKeys,
  ...gossipKeys,
  ...limitKeys,
  ...networkKeys,
  ...serverKeys,
  ...telemetryKeys,
  ...tlsKeys,
})

/** `past` holds options that only earlier releases read; no file can contain it. */
export type FileConfig = z.infer<typeof fileSchema> & { readonly past?: PastSettings | undefined }

/** Every key of the configuration with its description, as the page of the configuration shows it. */
export function configKeys(): readonly KeyRow[] {
  return keys
}

const keys = keyRows(fileSchema)
