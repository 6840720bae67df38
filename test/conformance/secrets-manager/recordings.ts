import { readFileSync } from 'node:fs'
import type { Json } from '../../../src/base/json.ts'

export type Body = Readonly<Record<string, Json>>

export interface Exchange {
  readonly name: string
  readonly at: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: Json
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Json
  }
}

export type Recorded = '1.0.0' | '1.4.0-beta1'

export function recording(release: Recorded, file: string): readonly Exchange[] {
  const path = new URL(`../../golden/secrets-manager/${release}/${file}.json`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Exchange[]
}

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * `PUT {mount}/root/sign-intermediate`: the call without the names that each user of the API chooses. PUT and POST are
 * one.
 */
export function callForm(method: string, path: string): string {
  const plain = path
    .replace(/\?.*$/, '')
    .replace(/^\/v1\//, '')
    .replace(/^sys\/mounts\/(.+?)(\/tune)?$/, 'sys/mounts/{mount}$2')
    .replace(/^(?!sys\/|auth\/).+?\/(ca\/pem|ca_chain|roles|sign|root|intermediate|cert)(?=\/|$)/, '{mount}/$1')
    .replace(/\/(roles|sign)\/[^/]+$/, '/$1/{role}')
  return `${method === 'POST' ? 'PUT' : method} ${plain}`
}

/** Members with the kind of their values: `ttl:string`. */
export function memberForms(body: unknown, prefix = ''): readonly string[] {
  if (!isBody(body)) return []
  return Object.entries(body).flatMap(([name, value]) => {
    if (isBody(value)) return memberForms(value, `${prefix}${name}.`)
    return [`${prefix}${name}:${Array.isArray(value) ? 'list' : typeof value}`]
  })
}
