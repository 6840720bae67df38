import type { GossipAddress } from '../core/messages.ts'
import { ipText } from './ip-bytes.ts'
import type { ValueReader } from './value-reader.ts'

/** The address whose bytes stand there, as text; empty for none. */
export function readHost(from: ValueReader): string {
  return ipText(from.rawView(16)) ?? ''
}

export function addressFrom(host: string, port: number): GossipAddress | undefined {
  return host === '' || port === 0 ? undefined : { host, port }
}
