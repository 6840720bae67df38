import { parseEndpoint } from '../../rpc/address.ts'

/** `provider=aws region=…`, of a block of settings for that cloud. */
export function providerText(provider: string, value: unknown): string {
  const said = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const pairs = said.filter(([, each]) => typeof each === 'string' && each !== '')
  return [`provider=${provider}`, ...pairs.map(([key, each]) => `${key}=${quoted(String(each))}`)].join(' ')
}

/** As the grammar of discovery wants it. Reference: configuration.md#discovery-strings. */
function quoted(text: string): string {
  return /[\s\\"]/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : text
}

/** The host of `host:port` under this key of a block. */
export function hostOf(value: unknown, key: string): string | undefined {
  const text =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof text === 'string' ? parseEndpoint(text, 0)?.host : undefined
}
