import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Exact, parseExact } from './exact-json.ts'

/** One step of a sequence, as `test/golden/README.md` describes it. */
export interface Step {
  readonly r?: string
  readonly json?: Exact
  readonly text?: string
  readonly token?: string
  readonly h?: Readonly<Record<string, string>>
  readonly timeout?: number
  readonly stream?: boolean
  readonly spawn?: string
  readonly join?: string
  readonly sleep?: number
  readonly save?: Readonly<Record<string, string>>
  readonly until?: readonly string[]
  readonly until_s?: number
  readonly assert?: readonly string[]
  readonly mask?: readonly string[]
  readonly drop?: readonly string[]
  readonly sort?: readonly string[]
  readonly binary?: boolean
  readonly textmask?: boolean
  readonly dns?: string
  readonly type?: string
  readonly tcp?: boolean
  readonly rd?: boolean
  /** Bytes of UDP payload. */
  readonly edns?: number
  readonly opcode?: number
  readonly x509?: string
}

export interface Sequence {
  /** `kv-basic.json` */
  readonly file: string
  readonly profile: string
  readonly steps: readonly Step[]
}

/** What one step was answered, normalised. */
export interface Recorded {
  readonly id: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly json?: Exact
  readonly binary?: Exact
  readonly dns?: Exact
  /** Of a certificate in the answer. */
  readonly x509?: Exact
  readonly assert?: Readonly<Record<string, boolean>>
  readonly error?: string
}

const goldenFolder = new URL('../../golden/', import.meta.url)

export function loadGolden(path: string): Exact {
  return parseExact(readFileSync(new URL(path, goldenFolder), 'utf8'))
}

export function loadSequence(file: string): Sequence {
  const stored = loadGolden(`sequences/${file}`) as unknown as { profile?: string; steps: Step[] }
  return { file, profile: stored.profile ?? 'default', steps: stored.steps }
}

export function loadRecorded(file: string): readonly Recorded[] {
  return (loadGolden(`recorded/${file}`) as unknown as { steps: Recorded[] }).steps
}

export function stepId(step: Step, at: number): string {
  const what = step.dns !== undefined ? `DNS ${step.dns} ${step.type ?? 'A'}` : (step.r ?? `join ${step.join}`)
  return `${String(at).padStart(3, '0')} ${what}`
}

export type Variables = Map<string, Exact>

/** Replaces `{{name}}`, all the way down; a text that is only `{{name}}` takes the variable's type. */
export function fill(value: Exact, variables: Variables): Exact {
  if (Array.isArray(value)) return value.map((item) => fill(item, variables))
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [
      String(fill(key, variables)),
      fill(member, variables),
    ])
    return Object.fromEntries(members)
  }
  if (typeof value !== 'string' || !value.includes('{{')) return value
  const whole = /^\{\{([^{}]+)\}\}$/.exec(value)?.[1]
  const named = whole === undefined ? undefined : variables.get(whole)
  if (named !== undefined) return named
  return value.replace(/\{\{([^{}]+)\}\}/g, (text, name: string) => {
    const known = variables.get(name)
    return known === undefined ? text : String(known)
  })
}

/** Variables that every sequence begins with. Values too long to be written down are made here. */
export function firstVariables(ports: Readonly<Record<string, number>>): Variables {
  const tooLarge = 'x'.repeat(524_289)
  const operations = Array.from({ length: 65 }, (_none, i) => ({ KV: { Verb: 'set', Key: `k${i}`, Value: 'MQ==' } }))
  return new Map<string, Exact>([
    ['large_ok', tooLarge.slice(1)],
    ['large_bad', tooLarge],
    ['b64_bad', Buffer.from(tooLarge).toString('base64')],
    ['txn65', operations],
    ['fresh_ec_key', freshKey()],
    ['product', 'svc'],
    ['Product', 'Svc'],
    ['domain', 'svc.'],
    ...Object.entries(ports).map(([name, port]): [string, Exact] => [`port_${name}`, port]),
  ])
}

/** P-256, as `EC PRIVATE KEY`. */
function freshKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return String(privateKey.export({ type: 'sec1', format: 'pem' }))
}
