import type { Question, Said } from './asked.ts'

/** What docs/reference/dns.md says of one question. Sections that are not named hold nothing. */
export interface Fact {
  /** Numbers of its facts in docs/reference/dns.md. */
  readonly of: string
  readonly says: string
  readonly ask: Question
  readonly said: Partial<Said> | ((said: Said) => void) | 'no answer'
}

export const soa = 'svc. 0 SOA ns.svc. hostmaster.svc. <now> 3600 600 86400 0'
export const nothing = 'NXDOMAIN qr aa rd'
export const failure = 'SERVFAIL qr aa rd'
export const unknown = { head: nothing, authorities: [soa] }
export const texts = (name: string, ttl = 0) => [`${name} ${ttl} TXT "hello"`, `${name} ${ttl} TXT "rack=r7"`]
export const webServices = (name: string) => [
  `${name} 0 SRV 1 10 80 d1.node.dc1.svc.`,
  `${name} 0 SRV 1 3 81 0a050909.addr.dc1.svc.`,
]
export const webGlue = [
  '0a050909.addr.dc1.svc. 0 A 10.5.9.9',
  'd1.node.dc1.svc. 0 A 10.5.0.1',
  ...texts('d1.node.dc1.svc.'),
]
export const web = (name: string) => ({
  answers: [`${name} 0 A 10.5.0.1`, `${name} 0 A 10.5.9.9`],
  additionals: texts(name),
})
export const ns = 'svc. 0 NS node-a.node.dc1.svc.'
export const nsGlue = ['node-a.node.dc1.svc. 0 A 127.0.0.1']

/** A fact of names and what they get, one for each line. */
export const named = (
  of: string,
  says: string,
  name: string,
  said: Partial<Said>,
  type = 'A',
  more: Partial<Question> = {},
): Fact => ({
  of,
  says,
  ask: { name, type, ...more },
  said,
})

export function atMost(bytes: number): (said: Said) => void {
  return (said) => {
    if (said.bytes > bytes || said.answers.length < 2) equal([said.bytes, said.answers.length], `${bytes} at most`)
  }
}

export function atLeast(bytes: number): (said: Said) => void {
  return (said) => {
    if (said.bytes < bytes) equal(said.bytes, `${bytes} at least`)
  }
}

export function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)}, and not ${JSON.stringify(expected)}`)
}

export function counts(answers: number, head?: string): (said: Said) => void {
  return (said) => {
    equal(said.answers.length, answers)
    if (head !== undefined) equal(said.head, head)
  }
}

export function fewer(answers: number, head?: string): (said: Said) => void {
  return (said) => {
    if (said.answers.length === 0 || said.answers.length > answers) equal(said.answers.length, `1 to ${answers}`)
    if (head !== undefined) equal(said.head, head)
  }
}

/** One address for each service that is there. */
export function glueOnly(said: Said): void {
  const targets = said.answers.map((line) => line.split(' ').at(-1))
  equal(said.additionals.map((line) => line.split(' ')[0]).sort(), targets.sort())
}
